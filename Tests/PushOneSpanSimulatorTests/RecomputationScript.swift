extension RecomputationTests {
    /// A stateless device: it recomputes all keys from the messages so far, and makes the next one.
    static let script = #"""
        import hashlib, hmac, json, struct, sys
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

        given = json.load(sys.stdin)
        messages = [bytes.fromhex(m) for m in given["replies"]]
        S = bytes.fromhex(given["S"])
        domain, user = given["domain"].encode(), given["user"].encode()
        sha = lambda b: hashlib.sha256(b).digest()
        mac = lambda k, b: hmac.new(k, b, hashlib.sha256).digest()
        u16 = lambda n: struct.pack(">H", n)
        private = lambda h: ec.derive_private_key(int(h, 16), ec.SECP256R1())
        point = lambda k: k.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        public = lambda b: ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b)
        agree = lambda k, b: k.exchange(ec.ECDH(), public(b))
        derive = lambda ikm, salt, info: HKDF(hashes.SHA256(), 32, salt, info).derive(ikm)
        expand = lambda k, info: HKDFExpand(hashes.SHA256(), 32, info).derive(k)
        tlv = lambda fields: b"".join(u16(t) + u16(len(v)) + v for t, v in sorted(fields.items()))

        def fields(body):
            found = {}
            while body:
                tag, count = struct.unpack(">HH", body[:4])
                found[tag], body = body[4:4 + count], body[4 + count:]
            return found

        def header(kind, flags, epoch, principal, flow, counter, count):
            return (b"OOC1" + bytes([1, kind, flags, epoch]) + principal + flow
                    + struct.pack(">QI", counter, count))

        def seal(head, body, key, clear=b""):
            return head + clear + AESGCM(key(head)).encrypt(bytes(12), body, head + clear)

        def unseal(message, key):
            start = 117 if message[6] & 2 else 52
            return fields(AESGCM(key(message[:52])).decrypt(
                bytes(12), message[start:], message[:start]))

        def done(**output):
            json.dump(output, sys.stdout)
            sys.exit()

        step = given["step"]
        eD, signer = private(given["eD"]), private(given["sign"])
        instances = [sha(b"key %d" % n + S) for n in range(3)]
        flow, handle = bytes(range(16)), sha(b"OOC1 reg\0" + domain + b"\0" + user)[:16]
        es = agree(eD, S)
        T = sha(b"OOC1 transcript\0" + u16(len(domain)) + domain + u16(len(user)) + user + S)
        if step == "hello":
            body = tlv({1: b"\1", 2: user, 3: domain, 4: sha(b"nonce")})
            done(command=seal(
                header(1, 2, 0, handle, flow, 1, len(body)), body,
                lambda h: derive(es, T, b"OOC1 act C1" + h), point(eD)).hex())
        T = sha(T + messages[0])
        ee = agree(eD, messages[1][52:117])
        challenge = unseal(messages[1], lambda h: derive(es + ee, T, b"OOC1 act S1" + h))
        assert challenge[1] == b"\1" and len(challenge[5]) == 32
        T = sha(T + messages[1])
        password = given["password"].encode()
        master = derive(es + ee + bytes([len(password)]) + password, T, b"OOC1 act master")
        if step == "proof":
            keys = b"\3" + b"".join(bytes([n]) + k for n, k in enumerate(instances))
            body = tlv({6: point(signer), 7: keys})
            done(command=seal(
                header(3, 0, 0, handle, flow, 2, len(body)), body,
                lambda h: expand(master, b"OOC1 act C2" + h)).hex())
        T = sha(T + messages[2])
        accepted = unseal(messages[3], lambda h: expand(master, b"OOC1 act S2" + h))
        device, asked = accepted[0x0A], accepted[0x23]
        T = sha(T + messages[3])
        root = derive(master, T, b"OOC1 root" + device)
        d2s, s2d = [expand(root, b"OOC1 " + d + device + b"\1") for d in (b"d2s", b"s2d")]

        def sign(message):
            r, s = utils.decode_dss_signature(signer.sign(message, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")

        def send(kind, flow, counter, body, keyed=False):
            head = header(kind, 2 if keyed else 0, 1, device, flow, counter, len(body))
            if not keyed:
                done(command=seal(head, body, lambda h: expand(d2s, b"OOC1 msg" + h)).hex())
            fresh = ec.generate_private_key(ec.SECP256R1())
            done(command=seal(
                head, body, lambda h: derive(agree(fresh, S), d2s, b"OOC1 msg" + h),
                point(fresh)).hex())

        read = lambda m: unseal(m, lambda h: expand(s2d, b"OOC1 msg" + h))
        confirm = lambda n, c: mac(instances[n], b"OOC1 confirm\0" + device + bytes([n]) + c)
        if step == "confirm":
            send(5, flow, 3, tlv({0x29: confirm(0, asked), 0x2E: confirm(2, asked)}))
        if step == "finalize":
            signature = sign(b"OOC1 activate\0" + device + T)
            send(7, flow, 4, tlv({
                0x29: confirm(1, read(messages[5])[0x23]), 0x2A: signature, 0x8001: b"{}"}), True)
        assert read(messages[7])[0x0D] == struct.pack(">Q", 4)
        if step == "register":
            send(0x10, sha(b"register")[:16], 5, tlv({0x10: given["identifier"].encode()}))
        assert read(messages[9])[0x0D] == struct.pack(">Q", 5)
        trigger = read(messages[10])
        flow = sha(b"fetch")[:16]
        if step == "fetch":
            send(0x31, flow, 6, tlv({0x20: trigger[0x20]}))
        shown = read(messages[12])
        assert shown[0x2B] == b"\1" and shown[0x20] == trigger[0x20]
        if step == "answer":
            digest = sha(shown[0x24] + shown[0x25])
            signed = (b"OOC1 answer\0" + device + flow + b"\2" + u16(len(shown[0x20]))
                      + shown[0x20] + shown[0x23] + b"\1" + shown[0x22] + digest
                      + struct.pack(">Q", 7))
            send(0x33, flow, 7, tlv({
                0x20: shown[0x20], 0x23: shown[0x23], 0x26: b"\1", 0x27: shown[0x22],
                0x28: digest, 0x29: mac(instances[shown[0x22][0]], signed),
                0x2A: sign(signed)}), True)
        result = read(messages[14])
        done(state=result[0x2B][0], decidedHere=result[0x30][0], request=result[0x20].decode())
        """#
}
