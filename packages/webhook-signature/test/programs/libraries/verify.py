import os

from standardwebhooks import Webhook

secret, body = os.environ["SECRET"], os.environ["BODY"]
headers = {
    "webhook-id": os.environ["ID"],
    "webhook-timestamp": os.environ["TIMESTAMP"],
    "webhook-signature": os.environ["SIGNATURES"],
}
try:
    __CALL__
    print("valid")
except Exception as error:
    print("refused:", error)
try:
    environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    Webhook(secret).verify(body, environ)
    print("valid")
except Exception as error:
    print("refused:", error)
