"""Gets an access token at each of some processes by google-auth, and uses each at all of them.

    REQUESTS_CA_BUNDLE=ca.pem python access_tokens.py service-account.json PATH BODY ORIGIN...

The assertion is for the account's own token_uri, wherever it goes. For each pair, a line has where the token
is from, where it was used, and what a POST of the body to the path got.
"""

import json
import sys

import google.auth.transport.requests
import requests
from google.oauth2 import _client, service_account

scope = "https://www.googleapis.com/auth/firebase.messaging"
account = service_account.Credentials.from_service_account_file(sys.argv[1], scopes=[scope])
path, body, *origins = sys.argv[2:]
request = google.auth.transport.requests.Request()
for source in origins:
    assertion = account._make_authorization_grant_assertion()
    token, _, _ = _client.jwt_grant(request, source + "/token", assertion)
    for place in origins:
        reply = requests.post(
            place + path,
            data=body,
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
            timeout=30,
        )
        print(json.dumps({"from": source, "at": place, "status": reply.status_code}))
