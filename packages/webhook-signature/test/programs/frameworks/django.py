import os
from wsgiref.simple_server import make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from verify import verify

# Those of `django-admin startproject` that concern a POST.
settings.configure(
    SECRET_KEY="for tests",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
)


def hook(request):
    body = __RAW_BODY__
    genuine = verify(body, __TIMESTAMP__, [__SIGNATURE__, __PREVIOUS__], [os.environ["WEBHOOK_SECRET"]])
    return HttpResponse(status=204 if genuine else 401)


urlpatterns = [
    path("hook", csrf_exempt(hook)),
    path("protected", hook),
    path("slash/", csrf_exempt(hook)),
]

server = make_server("127.0.0.1", 0, get_wsgi_application())
print(f"127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
