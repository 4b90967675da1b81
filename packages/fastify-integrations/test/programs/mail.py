"""Starts a quote with a form made by the mail library of Python, which encodes its parts for mail."""

import sys
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.mime.text import MIMEText
from email import encoders
from pathlib import Path
from urllib.request import Request, urlopen

url, key, first, second, text, metadata = sys.argv[1:]
form = MIMEMultipart("form-data")
for name, value in ("requirementsText", text), ("metadata", metadata):
    part = MIMEText(value, "plain", "iso-8859-1" if name == "requirementsText" else "utf-8")
    part.add_header("Content-Disposition", "form-data", name=name)
    form.attach(part)
for path, encode in (first, encoders.encode_base64), (second, encoders.encode_quopri):
    part = MIMENonMultipart("application", "octet-stream")
    part.set_payload(Path(path).read_bytes())
    encode(part)
    part.add_header("Content-Disposition", "form-data", name="files", filename=("utf-8", "", Path(path).name))
    form.attach(part)
head, _, body = form.as_bytes().partition(b"\n\n")
headers = {"X-API-Key": key, "Content-Type": form["Content-Type"]}
print(urlopen(Request(url, body.replace(b"\n", b"\r\n"), headers)).read().decode())
