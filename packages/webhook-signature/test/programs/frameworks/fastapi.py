import os
import socket

import uvicorn
from fastapi import FastAPI, Request, Response
from verify import verify

app = FastAPI()


@app.post("/hook")
@app.post("/slash/")
async def hook(request: Request):
    body = __RAW_BODY__
    genuine = verify(body, __TIMESTAMP__, [__SIGNATURE__, __PREVIOUS__], [os.environ["WEBHOOK_SECRET"]])
    return Response(status_code=204 if genuine else 401)


listener = socket.create_server(("127.0.0.1", 0))
print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
