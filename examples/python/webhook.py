"""Takes signed notifications at 127.0.0.1: python3 webhook.py 8080"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["SVC_WEBHOOK_SECRET"].removeprefix("whsec_"), validate=True)
if len(KEY) < 16:
    sys.exit("SVC_WEBHOOK_SECRET is no secret of a webhook")


def is_signed(headers, body):
    sent_at, signatures = headers.get("webhook-timestamp", ""), headers.get("webhook-signature", "")
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256))
    # During a rotation there are two signatures.
    matches = [hmac.compare_digest(expected, signature.encode()) for signature in signatures.split(" ")]
    return any(matches) and abs(time.time() - int(sent_at)) <= 300


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("content-length", 0)), 65536))
        signed = is_signed(self.headers, body)
        self.send_response(204 if signed else 400)
        self.end_headers()
        if signed:  # It may come twice: remember webhook-id. Log only the type, no IDs of people.
            print(json.loads(body)["type"], flush=True)


HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
