"""Writes stored-records.json: what the vendor's SDKs keep of an enrollment, with invented values.

The archives are property lists with the object graph of Apple's keyed archiver, made by Python's plistlib,
which knows nothing of this project. The names of classes and members are those of the vendor's public
sources (FRAuthenticator; PingPush and PingOath).
"""

import base64
import functools
import hashlib
import json
import plistlib
import sys
from plistlib import UID

SECRET = hashlib.sha256(b"pushkit-forgerock-secret-0").digest()
SERVICE = "https://am.example.com:8443/am/json/alpha/push/sns/message"
MECHANISM = "8D7F2B64-0C1A-4E53-9B7D-2F6A1C3E5D90"
CODE_SECRET = "CAIREEYUCULBOGAZDINRYHI6D4======"
WHO = {"issuer": "Example Bank", "accountName": "jane.doe@example.com"}
TIME = 1760000000.5


def url64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def archive(name, members, supers=(), top=None, head=None, extra=()):
    """A keyed archive of one object: texts as objects, numbers and booleans in place."""
    objects = ["$null", {}]
    fields = {}
    for key, value in members.items():
        if value is None:
            fields[key] = UID(0)
        elif isinstance(value, str):
            fields[key] = UID(len(objects))
            objects.append(value)
        else:
            fields[key] = value
    fields["$class"] = UID(len(objects))
    objects.append({"$classname": name, "$classes": [name, *supers, "NSObject"]})
    objects[1] = fields
    objects += extra
    frame = {
        "$version": 100000,
        "$archiver": "NSKeyedArchiver",
        "$top": {"root": UID(1)} if top is None else top,
        "$objects": objects,
    }
    frame.update(head or {})
    data = plistlib.dumps(frame, fmt=plistlib.FMT_BINARY, sort_keys=False)
    return base64.b64encode(data).decode()


def account(**changes):
    members = {
        "issuer": WHO["issuer"], "displayIssuer": None, "accountName": WHO["accountName"],
        "displayAccountName": None, "imageUrl": None, "backgroundColor": "032b75",
        "timeAdded": TIME, "policies": None, "lockingPolicy": None, "lock": False,
    }
    return archive("FRAuthenticator.Account", members | changes)


def push(**changes):
    members = {
        "mechanismUUID": MECHANISM, "type": "push", "version": 1, **WHO,
        "secret": url64(SECRET), "authEndpoint": SERVICE + "?_action=authenticate",
        "regEndpoint": SERVICE + "?_action=register", "messageId": "REGISTER:1",
        "challenge": "x", "loadBalancer": "amlbcookie=03", "uid": "jane", "resourceId": "r-1",
        "timeAdded": TIME,
    }
    return archive(
        "FRAuthenticator.PushMechanism", members | changes, ["FRAuthenticator.Mechanism"])


def codes(name, **changes):
    members = {
        "mechanismUUID": "C0DE0001-0000-4000-8000-000000000001", "type": name.lower(),
        "version": 1, **WHO, "secret": CODE_SECRET, "algorithm": "sha1", "digits": 6,
        "uid": None, "resourceId": None, "timeAdded": TIME,
    }
    members["period" if name == "TOTP" else "counter"] = 30 if name == "TOTP" else 3
    return archive(f"FRAuthenticator.{name}Mechanism", members | changes,
                   ["FRAuthenticator.OathMechanism", "FRAuthenticator.Mechanism"])


LEGACY_PUSH = {
    "id": "Example Bank-jane.doe@example.com-push", "mechanismUID": MECHANISM,
    "type": "pushauth", **WHO, "secret": url64(SECRET),
    "authenticationEndpoint": SERVICE + "?_action=authenticate",
    "registrationEndpoint": SERVICE + "?_action=register", "messageId": "REGISTER:1",
    "challenge": "DtrPZhb/zgqGwoRBnvK8te+M41i3T0zo6AdD4UT+7l0=",
    "loadBalancer": "amlbcookie=03", "uid": None, "resourceId": None,
    "timeAdded": 1760000000500,
}
LEGACY_ACCOUNT = {
    "id": "Example Bank-jane.doe@example.com", **WHO, "displayIssuer": None,
    "displayAccountName": None, "imageURL": None, "backgroundColor": "032b75",
    "timeAdded": 1760000000500, "policies": None, "lockingPolicy": None, "lock": False,
}
LEGACY_TOTP = {
    "id": "x-totp", "mechanismUID": "C0DE0001-0000-4000-8000-000000000001", "type": "otpauth",
    "oathType": "totp", "secret": CODE_SECRET, "algorithm": "sha256", "digits": 8, "period": 60,
    **WHO, "uid": "jane", "resourceId": "r-2", "timeAdded": 1760000000500,
}
LEGACY_HOTP = {
    **LEGACY_TOTP, "id": "x-hotp", "mechanismUID": "C0DE0002-0000-4000-8000-000000000002",
    "oathType": "hotp", "algorithm": "sha1", "digits": 6, "counter": 3,
}
ANDROID_PUSH = {
    key: value for key, value in LEGACY_PUSH.items() if key not in ("loadBalancer",)
} | {"id": "Example Bank-jane.doe@example.com-pushauth",
     "secret": base64.b64encode(SECRET).decode(), "account": LEGACY_ACCOUNT}
ANDROID_HOTP = {**LEGACY_HOTP, "oathType": "HOTP", "algorithm": "SHA1"}
NEW_PUSH = {
    "id": MECHANISM, "userId": "jane", "resourceId": "", "displayIssuer": "Example Bank",
    "displayAccountName": "jane", **WHO, "serverEndpoint": SERVICE,
    "sharedSecret": base64.b64encode(SECRET).decode(), "createdAt": "2025-10-09T08:53:20Z",
    "backgroundColor": "#032b75", "isLocked": False, "platform": "pingam",
}
NEW_OATH = {
    "id": "C0DE0003-0000-4000-8000-000000000003", "userId": "jane", "resourceId": "r-3", **WHO,
    "oathType": "hotp", "oathAlgorithm": "SHA1", "digits": 6, "period": 30, "counter": 3,
    "createdAt": 781692800.5, "isLocked": False,
}
MANY = {f"unknown{i}": i for i in range(80)}

records = {
    "archive-account": account(),
    "archive-account-locked": account(
        lock=True, lockingPolicy="biometricAvailable", policies='{"biometricAvailable":{}}'),
    "archive-account-lock-is-text": account(lock="yes"),
    "archive-push": push(),
    "archive-push-umlaut": push(issuer="Bänk \U0001F600"),
    "archive-totp": codes("TOTP"),
    "archive-hotp": codes("HOTP"),
    "bad-class-unknown": archive("FRAuthenticator.SecretMechanism", {"type": "push"}),
    "bad-class-foreign": archive("NSURL", {"NS.base": None}),
    "bad-class-and-type": push(type="totp"),
    "bad-no-root": archive("FRAuthenticator.PushMechanism", {}, top={}),
    "bad-root-beyond": archive("FRAuthenticator.PushMechanism", {}, top={"root": UID(900)}),
    "bad-root-is-text": archive("FRAuthenticator.PushMechanism", {}, top={"root": UID(0)}),
    "bad-root-is-number": archive("FRAuthenticator.PushMechanism", {}, top={"root": 1}),
    "bad-circle": push(secret=UID(1)),
    "bad-reference-chain": archive(
        "FRAuthenticator.PushMechanism", {"mechanismUUID": UID(3)}, extra=[UID(3)]),
    "bad-secret-empty": push(secret=""),
    "bad-secret-missing": push(secret=None),
    "bad-secret-bytes": push(secret=SECRET),
    "bad-id-empty": push(mechanismUUID=""),
    "bad-id-number": push(mechanismUUID=7),
    "bad-url-http": push(authEndpoint="http://am.example.com/x?_action=authenticate"),
    "bad-url-none": push(regEndpoint="am"),
    "bad-cookie": push(loadBalancer="a=b\r\nX: y"),
    "bad-digits": codes("TOTP", digits=12),
    "bad-period": codes("TOTP", period=0),
    "bad-algorithm": codes("TOTP", algorithm="md5"),
    "bad-counter": codes("HOTP", counter=-1),
    "bad-code-secret": codes("TOTP", secret="===="),
    "bad-code-secret-text": codes("TOTP", secret="AA!A"),
    "bad-members": push(**MANY),
    "bad-archiver": archive("FRAuthenticator.PushMechanism", {}, head={"$archiver": "other"}),
    "bad-version": archive("FRAuthenticator.PushMechanism", {}, head={"$version": 1}),
    "bad-objects": archive("FRAuthenticator.PushMechanism", {}, head={"$objects": 5}),
    "bad-xml": base64.b64encode(plistlib.dumps({"$version": 100000})).decode(),
    "bad-deep": base64.b64encode(plistlib.dumps(
        functools.reduce(lambda inner, _: [inner], range(200), "x"),
        fmt=plistlib.FMT_BINARY)).decode(),
    "legacy-push": json.dumps(LEGACY_PUSH).replace("/", "\\/"),
    "legacy-account": json.dumps(LEGACY_ACCOUNT),
    "legacy-account-locked": json.dumps(LEGACY_ACCOUNT | {
        "lock": True, "lockingPolicy": "deviceTampering",
        "policies": '{"deviceTampering":{"score":0.8}}'}),
    "legacy-totp": json.dumps(LEGACY_TOTP),
    "legacy-hotp": json.dumps(LEGACY_HOTP),
    "android-list": json.dumps({
        "mechanisms": [ANDROID_PUSH, ANDROID_HOTP],
        "metadata": {"totalMechanisms": 2, "exportedAt": 1760000000500}}),
    "new-push": json.dumps(NEW_PUSH).replace("/", "\\/"),
    "new-push-android": json.dumps(NEW_PUSH | {
        "platform": "PING_AM", "createdAt": 1760000000500}),
    "new-oath": json.dumps(NEW_OATH),
    "new-oath-android": json.dumps(NEW_OATH | {
        "oathType": "HOTP", "secret": CODE_SECRET, "createdAt": 1760000000500}),
    "new-push-uri": "pushauth://push/Example%20Bank:jane.doe@example.com?"
    + f"r={url64((SERVICE + '?_action=register').encode())}"
    + f"&a={url64((SERVICE + '?_action=authenticate').encode())}"
    + f"&s={url64(SECRET)}&issuer={url64(b'Example Bank')}&d={url64(b'jane')}&b=032b75",
    "new-oath-uri": "otpauth://hotp/Example%20Bank:jane.doe@example.com?secret="
    + CODE_SECRET + "&issuer=Example%20Bank&digits=6&counter=3&algorithm=SHA1",
}
json.dump(records, sys.stdout, indent=1, sort_keys=True)
print()
