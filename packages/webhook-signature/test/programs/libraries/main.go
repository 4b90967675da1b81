package main

import (
	"fmt"
	"net/http"
	"os"

	standardwebhooks "__PACKAGE__"
)

func main() {
	secret, body := os.Getenv("SECRET"), []byte(os.Getenv("BODY"))
	r := http.Request{Header: http.Header{}}
	r.Header.Set("webhook-id", os.Getenv("ID"))
	r.Header.Set("webhook-timestamp", os.Getenv("TIMESTAMP"))
	r.Header.Set("webhook-signature", os.Getenv("SIGNATURES"))
	__CALL__
	if err == nil {
		__THEN__
	}
	if err == nil {
		fmt.Println("valid")
	} else {
		fmt.Println("refused:", err)
	}
}
