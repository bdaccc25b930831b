"""Recomputes the vectors of OOC/1 from their seeds, knowing nothing of the engine's code.

Reads a JSON object of vectors by name from the standard input, and prints a JSON object: for each
name, whether the value was computed, or opened and verified where its maker signed at random.
Beside the names of the vectors, `engine 07` and `engine 33` are verified like `07` and `33`.
"""
import hashlib, hmac, json, sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

given = {name: bytes.fromhex(value) for name, value in json.load(sys.stdin).items()}
made, verified = {}, {}
order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def sha(data):
    return hashlib.sha256(data).digest()


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def hkdf(ikm, salt, info):
    return HKDF(hashes.SHA256(), 32, salt, info).derive(ikm)


def expand(key, info):
    return HKDFExpand(hashes.SHA256(), 32, info).derive(key)


def private(seed):
    scalar = int.from_bytes(sha(b"OOC1 test " + seed), "big") % (order - 1) + 1
    return ec.derive_private_key(scalar, ec.SECP256R1())


def raw(key):
    return key.private_numbers().private_value.to_bytes(32, "big")


def point(key):
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def agree(key, other):
    return key.exchange(ec.ECDH(), other.public_key())


def tlv(*pairs):
    return b"".join(
        tag.to_bytes(2, "big") + len(value).to_bytes(2, "big") + value for tag, value in pairs)


def u8(n):
    return n.to_bytes(1, "big")


def u64(n):
    return n.to_bytes(8, "big")


def i32(n):
    return n.to_bytes(4, "big", signed=True)


def header(kind, flags, epoch, principal, flow, counter, size):
    return (b"OOC1" + bytes([1, kind, flags, epoch]) + principal + flow + u64(counter)
            + size.to_bytes(4, "big"))


def seal(head, body, key, clear=b""):
    return head + clear + AESGCM(key).encrypt(bytes(12), body, head + clear)


def run(start):
    return bytes(range(start, start + 16))


S, eD, eS = private(b"server static"), private(b"device ephemeral"), private(b"server ephemeral")
signer = private(b"device signing")
made.update({"S.priv": raw(S), "S.pub": point(S), "eD.priv": raw(eD), "eS.priv": raw(eS)})
made["sign.pub"] = point(signer)
domain, user, password, pin = b"example-domain", b"alice", b"K7M2Q9XD", b"135790"
device, activation = run(0xA0), run(0x10)
K = [sha(b"instance %d" % n) for n in range(3)]
handle = sha(b"OOC1 reg\0" + domain + b"\0" + user)[:16]
TH0 = sha(b"OOC1 transcript\0" + len(domain).to_bytes(2, "big") + domain
          + len(user).to_bytes(2, "big") + user + point(S))
es, ee = agree(eD, S), agree(eD, eS)
made.update({"handle": handle, "TH0": TH0, "es": es, "ee": ee})

body = tlv((1, u8(1)), (2, user), (3, domain), (4, sha(b"client nonce")))
head = header(0x01, 2, 0, handle, activation, 1, len(body))
made["C1-body"], made["K_C1"] = body, hkdf(es, TH0, b"OOC1 act C1" + head)
made["C1"] = seal(head, body, made["K_C1"], point(eD))
TH1 = sha(TH0 + made["C1"])

start = 1767225000000
body = tlv((1, u8(1)), (5, sha(b"server nonce")), (0xD, u64(1)), (0xE, u64(start)),
           (0xF, u64(1767225600000)))
head = header(0x02, 3, 0, handle, activation, 1, len(body))
made["K_S1"] = hkdf(es + ee, TH1, b"OOC1 act S1" + head)
made["S1"] = seal(head, body, made["K_S1"], point(eS))
TH2 = sha(TH1 + made["S1"])
MK = hkdf(es + ee + u8(len(password)) + password, TH2, b"OOC1 act master")

body = tlv((6, point(signer)), (7, u8(3) + b"".join(u8(n) + K[n] for n in range(3))))
head = header(0x03, 0, 0, handle, activation, 2, len(body))
made["C2"] = seal(head, body, expand(MK, b"OOC1 act C2" + head))
TH3 = sha(TH2 + made["C2"])
first = sha(b"challenge K0/K2")
body = tlv((0xA, device), (0xD, u64(2)), (0x23, first))
head = header(0x04, 1, 0, handle, activation, 2, len(body))
made["S2"] = seal(head, body, expand(MK, b"OOC1 act S2" + head))
TH4 = sha(TH3 + made["S2"])
RK = hkdf(MK, TH4, b"OOC1 root" + device)
d2s, s2d = (expand(RK, b"OOC1 " + label + device + b"\1") for label in (b"d2s", b"s2d"))
made.update({"TH1": TH1, "TH2": TH2, "MK": MK, "TH3": TH3, "TH4": TH4, "RK": RK})
made.update({"k_d2s": d2s, "k_s2d": s2d})


def up(kind, flow, counter, body, to=device):
    head = header(kind, 0, 1, to, flow, counter, len(body))
    return seal(head, body, expand(d2s, b"OOC1 msg" + head))


def up_key(kind, flow, counter, size, ephemeral):
    head = header(kind, 2, 1, device, flow, counter, size)
    return head, hkdf(agree(ephemeral, S), d2s, b"OOC1 msg" + head)


def down(kind, flow, counter, body):
    head = header(kind, 1, 1, device, flow, counter, len(body))
    return seal(head, body, expand(s2d, b"OOC1 msg" + head))


def opened(name, command, kind, flow, counter, expected, signed):
    """A command whose body is `expected` and then a signature of `signed`."""
    key_owner = private(b"ephemeral %02X" % kind)
    head, key = up_key(kind, flow, counter, len(expected) + 68, key_owner)
    plain = AESGCM(key).decrypt(bytes(12), command[117:], head + point(key_owner))
    signature = plain[-64:]
    pair = utils.encode_dss_signature(
        int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    signer.public_key().verify(pair, signed, ec.ECDSA(hashes.SHA256()))
    verified[name] = (command[:117] == head + point(key_owner)
                      and plain[:-64] == expected + b"\0\x2a\0\x40")
    return signature


def confirm(n, challenge):
    return mac(K[n], b"OOC1 confirm\0" + device + u8(n) + challenge)


made["05"] = up(0x05, activation, 3, tlv((0x29, confirm(0, first)), (0x2E, confirm(2, first))))
second = sha(b"challenge K1")
made["06"] = down(0x06, activation, 3, tlv((0xD, u64(3)), (0x23, second)))
made["dh07"] = agree(private(b"ephemeral 07"), S)
made["K_07"] = up_key(0x07, activation, 4, 104, private(b"ephemeral 07"))[1]
for name in ("07", "engine 07"):
    opened(name, given[name], 0x07, activation, 4, tlv((0x29, confirm(1, second))),
           b"OOC1 activate\0" + device + TH4)
made["08"] = down(0x08, activation, 4, tlv((0xD, u64(4))))


def failure(code, text, payload, flow_type, previous, flow, counter=None):
    tags = [] if counter is None else [(0xD, u64(counter))]
    tags += [(0x70, i32(code)), (0x71, text)] + ([] if payload is None else [(0x72, payload)])
    return tlv(*tags, (0x73, b"GENERIC"), (0x74, u8(flow_type)), (0x75, u8(previous)),
               (0x76, flow))


body = failure(-1200, b"unknown registration", None, 1, 0x01, activation, 1)
head = header(0x7F, 1, 0, handle, activation, start, len(body))
made["K_E1"] = hkdf(es, sha(made["C1"]), b"OOC1 act E1" + head)
made["E1"] = seal(head, body, made["K_E1"])
body = failure(-1201, b"password proof failed", b"2", 1, 0x03, activation, 2)
head = header(0x7F, 1, 0, handle, activation, start, len(body))
made["K_E2"] = hkdf(es + ee, TH3, b"OOC1 act E2" + head)
made["E2"] = seal(head, body, made["K_E2"])
body = failure(-1300, b"unknown device", None, 2, 0x10, run(0x30))
made["clear"] = header(0x7F, 5, 1, run(0xE0), run(0x30), 0, len(body)) + body

made["10"] = up(0x10, run(0x30), 5, tlv((0x10, b"01000001010200CCCCCCCCCCCCCCCC")))
made["11"] = down(0x11, run(0x30), 5, tlv((0xD, u64(5))))

request, issued, flow = b"6f1c2a54-5d0f-4b7e-9a3c-0d6c3f1b2a10", 1767225600000, run(0x50)
times = [(0xE, u64(issued)), (0xF, u64(issued + 60000)), (0x20, request)]
made["30"] = down(0x30, run(0x40), 6, tlv(*times))
made["31"] = up(0x31, flow, 6, tlv((0x20, request)))
display = u8(2) + b"".join(
    len(text).to_bytes(2, "big") + text
    for text in (b"Amount", b"100.00 EUR", b"To", b"DE89370400440532013000"))
challenge, method = sha(b"session challenge"), u8(1)
made["32"] = down(0x32, flow, 7, tlv(
    (0xD, u64(6)), *times, (0x21, b"session-0001"), (0x22, method), (0x23, challenge),
    (0x24, u8(1)), (0x25, display), (0x2B, u8(1))))
digest = sha(u8(1) + display)
TBS = (b"OOC1 answer\0" + device + flow + u8(2) + len(request).to_bytes(2, "big") + request
       + challenge + u8(1) + method + digest + u64(7))
made.update({"digest": digest, "TBS": TBS, "authResponse": mac(K[1], TBS)})
expected = tlv((0x20, request), (0x23, challenge), (0x26, u8(1)), (0x27, method), (0x28, digest),
               (0x29, made["authResponse"]))
for name in ("33", "engine 33"):
    signature = opened(name, given[name], 0x33, flow, 7, expected, TBS)
    if name == "33":
        verified["signature"] = signature == given["signature"]
made["34"] = down(0x34, flow, 8, tlv(
    (0xD, u64(7)), (0x20, request), (0x2B, u8(2)), (0x30, u8(1))))
made["mask"] = PBKDF2HMAC(hashes.SHA256(), 32, bytes(range(16)), 100000).derive(pin)

nonce, newer = sha(b"change nonce"), sha(b"instance 1 new")
made["proof"] = mac(K[1], b"OOC1 chpw\0" + device + nonce + u64(8) + newer)
body = tlv((4, nonce), (0x29, made["proof"]), (0x2F, newer))
owner = private(b"ephemeral 40")
head, key = up_key(0x40, run(0x60), 8, len(body), owner)
made["40"] = seal(head, body, key, point(owner))
made["41"] = down(0x41, run(0x60), 9, tlv((0xD, u64(8))))

print(json.dumps({name: made[name] == value if name in made else verified.get(name, False)
                  for name, value in given.items()}))
