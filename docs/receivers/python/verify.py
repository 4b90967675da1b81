import base64
import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300


def verify(body, timestamp, signatures, secrets, now=None):
    """Whether a webhook is genuine and recent.

    body: the raw request body, in bytes.
    timestamp: the value of X-Service-Timestamp.
    signatures: the values of X-Service-Signature and X-Service-Signature-Previous; None where one did not come.
    secrets: the signing secrets, whsec_ included; several while you replace one.
    Raises ValueError if a secret is missing or surrounded by white space or quotes: respond with 500.
    """
    for secret in secrets or [None]:
        check_secret(secret)
    if not is_recent(timestamp, now):
        return False
    sent = [part.strip() for header in signatures if header for part in header.split(",")]
    for secret in secrets:
        digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        if any(hmac.compare_digest(f"v1={digest}".encode(), each.encode()) for each in sent):
            return True
    return False


def verify_standard(body, webhook_id, timestamp, signatures, secret, now=None):
    """The same with the headers of Standard Webhooks.

    webhook_id, timestamp, signatures: the values of webhook-id, webhook-timestamp and webhook-signature; None if missing.
    """
    check_secret(secret)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:
        raise ValueError("The signing secret is not Base64 after whsec_.")
    if not webhook_id or not is_recent(timestamp, now):
        return False
    digest = hmac.new(key, f"{webhook_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(expected, sent.encode()) for sent in (signatures or "").split(" "))


def check_secret(secret):
    if secret in (None, "", "whsec_"):
        raise ValueError("The signing secret is missing or empty. Is its environment variable set?")
    if secret.strip().strip("\"'`") != secret:
        raise ValueError("The signing secret has white space or quotes around it. Remove them where the secret is set.")


def is_recent(timestamp, now):
    if not re.fullmatch(r"[0-9]{10}", timestamp or ""):
        return False
    return abs((time.time() if now is None else now) - int(timestamp)) <= TOLERANCE_SECONDS
