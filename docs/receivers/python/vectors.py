import base64
import sys

from verify import verify, verify_standard


def decoded(field):
    return b"" if field == "-" else base64.b64decode(field)


for line in sys.stdin:
    now, *fields = line.split()
    timestamp, signature, previous, secrets, body, *webhook_id = map(decoded, fields)
    timestamp, signature, previous, secrets = (each.decode() for each in (timestamp, signature, previous, secrets))
    try:
        if webhook_id:
            genuine = verify_standard(body, webhook_id[0].decode(), timestamp, signature, secrets, int(now))
        else:
            genuine = verify(body, timestamp, [signature, previous or None], secrets.split("\n"), int(now))
        print("valid" if genuine else "refused")
    except ValueError as error:
        print(error)
