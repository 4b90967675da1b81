package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

var unixSeconds = regexp.MustCompile(`^[0-9]{10}$`)

// verify reports whether a webhook is genuine and recent.
//
// body is the raw request body, timestamp the value of X-Service-Timestamp. signatures are the values of
// X-Service-Signature and X-Service-Signature-Previous, empty if absent. secrets are the signing secrets,
// whsec_ included; several while you replace one.
func verify(body []byte, timestamp string, signatures, secrets []string, now time.Time) bool {
	if !isRecent(timestamp, now) {
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

// verifyStandard does the same with the headers of Standard Webhooks: id, timestamp and signatures are the values of webhook-id,
// webhook-timestamp and webhook-signature, empty if missing.
func verifyStandard(body []byte, id, timestamp, signatures, secret string, now time.Time) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 || id == "" || !isRecent(timestamp, now) {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, sent := range strings.Split(signatures, " ") {
		if hmac.Equal(expected, []byte(sent)) {
			return true
		}
	}
	return false
}

func isRecent(timestamp string, now time.Time) bool {
	if !unixSeconds.MatchString(timestamp) {
		return false
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	age := now.Sub(time.Unix(seconds, 0))
	return age <= tolerance && age >= -tolerance
}
