package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func hook(w http.ResponseWriter, r *http.Request) {
	body, err := __RAW_BODY__
	if err != nil {
		http.Error(w, "", http.StatusRequestEntityTooLarge)
		return
	}
	signatures, secrets := []string{__SIGNATURE__, __PREVIOUS__}, []string{os.Getenv("WEBHOOK_SECRET")}
	genuine, err := verify(body, __TIMESTAMP__, signatures, secrets, time.Now())
	switch {
	case err != nil:
		http.Error(w, "", http.StatusInternalServerError)
	case !genuine:
		http.Error(w, "", http.StatusUnauthorized)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func main() {
	http.HandleFunc("/hook", hook)
	http.HandleFunc("/slash/", hook)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	panic(http.Serve(listener, nil))
}
