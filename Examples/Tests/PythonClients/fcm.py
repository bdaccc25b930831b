"""Sends messages by firebase-admin, Google's own client for servers.

    python fcm.py service-account.json URL < messages

The messages are a JSON array of {"token": ..., "data": {...}}. The first is sent alone, by `send`, and
all the others at once, by `send_each`. For each, a line has what the client made of it.
"""

import json
import sys

import firebase_admin
from firebase_admin import credentials, messaging

# Where to get an access token stands in the account's file. Where FCM is, is written in the client, which
# has no setting for it; all else is the client as it came.
messaging._MessagingService.FCM_URL = sys.argv[2]
firebase_admin.initialize_app(credentials.Certificate(sys.argv[1]))


def report(name, error):
    if error is None:
        print(json.dumps({"name": name}))
    else:
        kind = f"{type(error).__module__}.{type(error).__qualname__}"
        print(json.dumps({"error": kind, "code": getattr(error, "code", None), "text": str(error)}))


first, *others = [messaging.Message(**fields) for fields in json.load(sys.stdin)]
try:
    report(messaging.send(first), None)
except firebase_admin.exceptions.FirebaseError as error:
    report(None, error)
if others:
    for response in messaging.send_each(others).responses:
        report(response.message_id, response.exception)
