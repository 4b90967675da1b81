import base64
import sys

from verify import verify


def decoded(field):
    return b"" if field == "-" else base64.b64decode(field)


for line in sys.stdin:
    now, timestamp, signature, previous, secrets, body = line.split()
    genuine = verify(
        decoded(body),
        decoded(timestamp).decode(),
        [decoded(signature).decode(), decoded(previous).decode() or None],
        decoded(secrets).decode().split("\n"),
        int(now),
    )
    print("valid" if genuine else "refused")
