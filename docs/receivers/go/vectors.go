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
		clock, timestamp, signature := time.Unix(now, 0), decoded(fields[1]), decoded(fields[2])
		secrets, body := decoded(fields[4]), []byte(decoded(fields[5]))
		var genuine bool
		if len(fields) > 6 {
			genuine, err = verifyStandard(body, decoded(fields[6]), timestamp, signature, secrets, clock)
		} else {
			signatures := []string{signature, decoded(fields[3])}
			genuine, err = verify(body, timestamp, signatures, strings.Split(secrets, "\n"), clock)
		}
		if err != nil {
			fmt.Println(err)
		} else if genuine {
			fmt.Println("valid")
		} else {
			fmt.Println("refused")
		}
	}
}
