package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

var unixSeconds = regexp.MustCompile(`^[0-9]{10}$`)

// verify tells whether a webhook is genuine and recent.
//
// body is the raw request body, timestamp the value of X-Service-Timestamp. signatures are the values of
// X-Service-Signature and X-Service-Signature-Previous, empty where one did not come. secrets are the signing secrets,
// whsec_ included; several while you replace one.
func verify(body []byte, timestamp string, signatures, secrets []string, now time.Time) bool {
	if !unixSeconds.MatchString(timestamp) {
		return false
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return false
	}
	for _, secret := range secrets {
		if secret == "" {
			return false
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamp + "."))
		mac.Write(body)
		expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
		for _, sent := range strings.Split(strings.Join(signatures, ","), ",") {
			if hmac.Equal(expected, []byte(strings.TrimSpace(sent))) {
				return true
			}
		}
	}
	return false
}
