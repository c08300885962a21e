"""An event with its list, a guest enrolled from a photo and looked up: python3 checkin.py photo.png"""

import json
import os
import secrets
import sys
from datetime import datetime, timedelta, timezone
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

SERVICE = os.environ.get("SVC_URL", "http://127.0.0.1:3000")


class NoRedirects(HTTPRedirectHandler):  # A redirect would send the key elsewhere.
    def redirect_request(self, *_):
        return None


def call(method, path, body=None, content_type="application/json"):
    """The decoded answer. Raises HTTPError, whose body is a problem with a code."""
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    headers = {"X-Api-Key": os.environ["SVC_API_KEY"], "Content-Type": content_type}
    if method != "GET":  # Repeat a request with the same key, and it has no second effect.
        headers["Idempotency-Key"] = secrets.token_hex(16)
    with build_opener(NoRedirects).open(Request(SERVICE + path, data, headers, method=method), timeout=60) as answer:
        return json.load(answer)


def enrol(list_id, person_id, person, photo):
    """The photo as bytes: a form of the person as JSON, and a part with the file."""
    boundary = secrets.token_hex(16)

    def part(name, content_type, content):
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\nContent-Type: {content_type}\r\n\r\n'
        return head.encode() + content + b"\r\n"

    parts = part("person", "application/json", json.dumps(person).encode())
    parts += part("photo", "application/octet-stream", photo)
    path = f"/v1/lists/{list_id}/people/{quote(person_id, safe='')}"
    form = parts + f"--{boundary}--\r\n".encode()
    return call("PUT", path, form, f"multipart/form-data; boundary={boundary}")


def at(**later):
    return (datetime.now(timezone.utc) + timedelta(**later)).strftime("%Y-%m-%dT%H:%M:%SZ")


with open(sys.argv[1], "rb") as file:
    image = file.read()
event = call("POST", "/v1/events", {
    "name": "Summer concert", "startsAt": at(days=7), "endsAt": at(days=7, hours=6), "country": "DE",
})
guests = call("POST", "/v1/lists", {"name": "Ticket holders", "eventId": event["eventId"]})
ticket = "T-" + secrets.token_hex(16)
consent = {
    "consentVersion": guests["consentVersion"],  # The wording that you have shown.
    "givenAt": at(),
    "explicitBiometricConsent": True,  # The guest ticks these boxes, never you.
    "writtenRelease": True,
}
try:
    enrol(guests["listId"], ticket, {"consent": consent}, image)
except HTTPError as refusal:
    if refusal.code != 422:
        raise
    print(f"another photo, please: {json.load(refusal)['code']}")
else:
    found = call("GET", f"/v1/lists/{guests['listId']}/people/{quote(ticket, safe='')}")
    print(f"{ticket} is {found['state']} until {found['deleteAfter']}")
