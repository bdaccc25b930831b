"""Sends messages by firebase-admin, Google's own client for servers, until each is taken.

    REQUESTS_CA_BUNDLE=ca.pem python fcm_steady.py service-account.json URL < messages

A message is a line: {"id": ..., "token": ..., "data": {...}}. There is a line for each reply that isn't a 200
({"refused": STATUS}, of which the status is 0 if the connection ended without one), the client's own
repetitions included, and one for each message that is taken ({"accepted": ID}) or refused for good
({"failed": ID, "error": ...}).
"""

import json
import logging
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import firebase_admin
import google.auth.exceptions
from firebase_admin import credentials, exceptions, messaging

# Where FCM is, is written in the client, which has no setting for it; all else is the client as it came.
messaging._MessagingService.FCM_URL = sys.argv[2]
firebase_admin.initialize_app(credentials.Certificate(sys.argv[1]))

writing = threading.Lock()
final = (exceptions.InvalidArgumentError, messaging.UnregisteredError, messaging.SenderIdMismatchError)


def tell(**fields):
    with writing:
        print(json.dumps(fields), flush=True)


class Replies(logging.Handler):
    """The client repeats by itself what gets 500, 503 or no reply, and says nothing of it."""

    def emit(self, record):
        # It warns of a full pool of connections, too.
        if record.levelno == logging.WARNING and record.msg.startswith("Retrying ("):
            tell(refused=0)
        elif isinstance(record.args, tuple) and len(record.args) == 8 and record.args[6] != 200:
            tell(refused=record.args[6])


log = logging.getLogger("urllib3.connectionpool")
log.setLevel(logging.DEBUG)
log.propagate = False
log.addHandler(Replies())


def send(fields):
    while True:
        try:
            messaging.send(messaging.Message(token=fields["token"], data=fields["data"]))
            return tell(accepted=fields["id"])
        except final as error:
            return tell(failed=fields["id"], error=type(error).__name__)
        except (exceptions.FirebaseError, google.auth.exceptions.GoogleAuthError):
            time.sleep(0.2)


with ThreadPoolExecutor(8) as pool:
    for line in sys.stdin:
        pool.submit(send, json.loads(line))
