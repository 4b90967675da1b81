"""Starts a quote from two files, with urllib3."""

import sys
from pathlib import Path

import urllib3

url, key, first, second, text, metadata = sys.argv[1:]
fields = [
    ("requirementsText", text),
    ("metadata", metadata),
    ("files", (Path(first).name, Path(first).read_bytes(), "text/markdown")),
    ("files", (Path(second).name, Path(second).read_bytes())),
]
answer = urllib3.PoolManager().request("POST", url, fields=fields, headers={"X-API-Key": key})
print(answer.data.decode())
