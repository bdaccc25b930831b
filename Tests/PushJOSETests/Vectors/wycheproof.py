"""Takes the cases of wycheproof.json from a checkout of github.com/C2SP/wycheproof.

python3 wycheproof.py CHECKOUT > wycheproof.json
"""

import base64
import json
import subprocess
import sys

CHECKOUT = sys.argv[1]
COMMIT = subprocess.run(
    ["git", "-C", CHECKOUT, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
).stdout.strip()


def published(name):
    return json.loads(
        subprocess.run(
            ["git", "-C", CHECKOUT, "show", f"HEAD:testvectors_v1/{name}.json"],
            check=True, capture_output=True, text=True,
        ).stdout
    )


def number(text, size):
    value = int(text, 16).to_bytes(size, "big")
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def raw(case):
    return [case["tcId"], case["result"] == "valid", case["msg"], case["sig"]]


def ecdsa(name, algorithm, curve, size):
    """All but the many valid signatures of special hashes."""
    for group in published(name)["testGroups"]:
        cases = [raw(case) for case in group["tests"] if "SpecialCaseHash" not in case["flags"]]
        point = group["publicKey"]
        key = {"kty": "EC", "crv": curve}
        key |= {axis: number(point["w" + axis], size) for axis in "xy"}
        if cases:
            yield {"file": name, "algorithm": algorithm, "key": key, "cases": cases}


def rsa(name, algorithm):
    """At most six of each kind, and what may be taken or not isn't asked."""
    taken = {}
    for group in published(name)["testGroups"]:
        cases = []
        for case in group["tests"]:
            kind = (case["result"], *case["flags"])
            taken[kind] = taken.get(kind, 0) + 1
            if case["result"] != "acceptable" and taken[kind] <= 6:
                cases.append(raw(case))
        yield {"file": name, "algorithm": algorithm, "key": group["keyJwk"], "cases": cases}


def jws(name):
    """Every eighth of RS256's changed paddings. The P-521 key has an `alg` that there isn't; cases
    367 and 370 are to be refused, and are the very text of 357, which is to be taken."""
    for group in published(name)["testGroups"]:
        key = group.get("public", group["private"])
        if key.get("alg", "")[:2] == "PS" or key.get("alg") == "ES521":
            continue
        cases = [
            [case["tcId"], case["result"] == "valid", case["jws"]]
            for case in group["tests"]
            if isinstance(case["jws"], str) and case["tcId"] not in (367, 370)
            and not (46 <= case["tcId"] <= 258 and case["tcId"] % 8)
        ]
        yield {"file": name, "key": key, "cases": cases}


def sets(name):
    """Those with a public key. Case 7 wants a modulus found out that was badly made."""
    for group in published(name)["testGroups"]:
        keys = group.get("public", group["private"])
        cases = [
            [case["tcId"], case["result"] == "valid", case["jws"]]
            for case in group["tests"]
            if case["tcId"] != 7
        ]
        if cases and any(key["kty"] != "oct" for key in keys["keys"]):
            yield {"file": name, "set": keys, "cases": cases}


def listed(groups):
    """A line for each case, so that a change shows."""
    texts = []
    for group in groups:
        cases = ",\n   ".join(json.dumps(case) for case in group.pop("cases"))
        texts.append(f'{json.dumps(group)[:-1]},\n  "cases": [\n   {cases}]}}')
    return "[\n " + ",\n ".join(texts) + "]"


print(
    f"""{{
"source": "github.com/C2SP/wycheproof, testvectors_v1, commit {COMMIT}, Apache-2.0; \
chosen by wycheproof.py, fields left out, elliptic keys as JWK",
"signatures": {listed([
        *ecdsa("ecdsa_secp384r1_sha384_p1363_test", "ES384", "P-384", 48),
        *ecdsa("ecdsa_secp521r1_sha512_p1363_test", "ES512", "P-521", 66),
        *rsa("rsa_signature_2048_sha384_test", "RS384"),
        *rsa("rsa_signature_2048_sha512_test", "RS512"),
    ])},
"tokens": {listed(jws("json_web_signature_test"))},
"sets": {listed(sets("json_web_key_test"))}
}}"""
)
