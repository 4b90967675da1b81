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
    """
    if not all(secrets) or not re.fullmatch(r"[0-9]{10}", timestamp or ""):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    sent = [part.strip() for header in signatures if header for part in header.split(",")]
    for secret in secrets:
        digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        if any(hmac.compare_digest(f"v1={digest}".encode(), each.encode()) for each in sent):
            return True
    return False
