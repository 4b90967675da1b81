package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func decoded(field string) string {
	if field == "-" {
		return ""
	}
	bytes, err := base64.StdEncoding.DecodeString(field)
	if err != nil {
		panic(err)
	}
	return string(bytes)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		now, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			panic(err)
		}
		signatures := []string{decoded(fields[2]), decoded(fields[3])}
		secrets := strings.Split(decoded(fields[4]), "\n")
		if verify([]byte(decoded(fields[5])), decoded(fields[1]), signatures, secrets, time.Unix(now, 0)) {
			fmt.Println("valid")
		} else {
			fmt.Println("refused")
		}
	}
}
