"""Verifies every DKIM signature of the message on standard input; the keys are in the JSON file of the first argument."""

import json
import sys

import dkim

with open(sys.argv[1]) as file:
    records = json.load(file)


def txt(name, timeout=5):
    key = name.decode() if isinstance(name, bytes) else name
    record = records.get(key.rstrip("."))
    return None if record is None else record.encode()


message = sys.stdin.buffer.read()
signer = dkim.DKIM(message)
count = sum(1 for name, _ in signer.headers if name.lower() == b"dkim-signature")
print(json.dumps([bool(signer.verify(idx=index, dnsfunc=txt)) for index in range(count)]))
