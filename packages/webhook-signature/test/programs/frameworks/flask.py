import os

from flask import Flask, request
from verify import verify
from werkzeug.serving import make_server

app = Flask(__name__)


@app.post("/hook")
def hook():
    body = __RAW_BODY__
    genuine = verify(body, __TIMESTAMP__, [__SIGNATURE__, __PREVIOUS__], [os.environ["WEBHOOK_SECRET"]])
    return "", 204 if genuine else 401


server = make_server("127.0.0.1", 0, app)
print(f"127.0.0.1:{server.port}", flush=True)
server.serve_forever()
