package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
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
// whsec_ included; several while you replace one. The error says that a secret is missing or surrounded by white space
// or quotes: respond with 500.
func verify(body []byte, timestamp string, signatures, secrets []string, now time.Time) (bool, error) {
	if err := checkSecrets(secrets...); err != nil {
		return false, err
	}
	if !isRecent(timestamp, now) {
		return false, nil
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamp + "."))
		mac.Write(body)
		expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
		for _, sent := range strings.Split(strings.Join(signatures, ","), ",") {
			if hmac.Equal(expected, []byte(strings.TrimSpace(sent))) {
				return true, nil
			}
		}
	}
	return false, nil
}

// verifyStandard does the same with the headers of Standard Webhooks: id, timestamp and signatures are the values of webhook-id,
// webhook-timestamp and webhook-signature, empty if missing.
func verifyStandard(body []byte, id, timestamp, signatures, secret string, now time.Time) (bool, error) {
	if err := checkSecrets(secret); err != nil {
		return false, err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false, errors.New("the signing secret is not Base64 after whsec_")
	}
	if id == "" || !isRecent(timestamp, now) {
		return false, nil
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, sent := range strings.Split(signatures, " ") {
		if hmac.Equal(expected, []byte(sent)) {
			return true, nil
		}
	}
	return false, nil
}

func checkSecrets(secrets ...string) error {
	if len(secrets) == 0 {
		secrets = []string{""}
	}
	for _, secret := range secrets {
		if secret == "" || secret == "whsec_" {
			return errors.New("the signing secret is missing or empty: is its environment variable set?")
		}
		if strings.Trim(strings.TrimSpace(secret), "\"'`") != secret {
			return errors.New("the signing secret has white space or quotes around it: remove them where the secret is set")
		}
	}
	return nil
}

func isRecent(timestamp string, now time.Time) bool {
	if !unixSeconds.MatchString(timestamp) {
		return false
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	age := now.Sub(time.Unix(seconds, 0))
	return age <= tolerance && age >= -tolerance
}
