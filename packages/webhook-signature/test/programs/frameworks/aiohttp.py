import os
import socket

from aiohttp import web
from verify import verify


async def hook(request):
    body = __RAW_BODY__
    genuine = verify(body, __TIMESTAMP__, [__SIGNATURE__, __PREVIOUS__], [os.environ["WEBHOOK_SECRET"]])
    return web.Response(status=204 if genuine else 401)


app = web.Application()
app.router.add_post("/hook", hook)
listener = socket.create_server(("127.0.0.1", 0))
print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
web.run_app(app, sock=listener, print=None)
