import ExternalTool
import Foundation
import IndependentEncodings
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

/// Pushes verified, and answers and codes made, by programs that share no code with ours.
struct RecomputationTests {
    private static let verifier = """
        import sys, json, base64
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import rsa, ec, padding, utils
        key, jwt = json.load(sys.stdin)
        raw = lambda s: base64.urlsafe_b64decode(s + '=' * (-len(s) % 4))
        num = lambda s: int.from_bytes(raw(s), 'big')
        signed, signature = jwt.rsplit('.', 1)
        signature, signed = raw(signature), signed.encode()
        if key['kty'] == 'RSA':
            public = rsa.RSAPublicNumbers(num(key['e']), num(key['n'])).public_key()
            public.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
        else:
            assert len(signature) == 64
            point = ec.EllipticCurvePublicNumbers(num(key['x']), num(key['y']), ec.SECP256R1())
            halves = [int.from_bytes(h, 'big') for h in (signature[:32], signature[32:])]
            point.public_key().verify(
                utils.encode_dss_signature(*halves), signed, ec.ECDSA(hashes.SHA256()))
        """

    private static let signer = """
        import sys, json, base64
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import rsa, ec, padding, utils
        key, claims = json.load(sys.stdin)
        raw = lambda s: base64.urlsafe_b64decode(s + '=' * (-len(s) % 4))
        num = lambda s: int.from_bytes(raw(s), 'big')
        text = lambda b: base64.urlsafe_b64encode(b).rstrip(b'=').decode()
        header = {'alg': key['alg'], 'typ': 'JWT', 'kid': key['kid']}
        signed = '.'.join(text(json.dumps(part).encode()) for part in (header, claims))
        if key['kty'] == 'RSA':
            public = rsa.RSAPublicNumbers(num(key['e']), num(key['n']))
            numbers = [num(key[name]) for name in ('p', 'q', 'd', 'dp', 'dq', 'qi')]
            private = rsa.RSAPrivateNumbers(*numbers, public).private_key()
            signature = private.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        else:
            private = ec.derive_private_key(num(key['d']), ec.SECP256R1())
            der = private.sign(signed.encode(), ec.ECDSA(hashes.SHA256()))
            signature = b''.join(n.to_bytes(32, 'big') for n in utils.decode_dss_signature(der))
        sys.stdout.write(signed + '.' + text(signature))
        """

    private func python(_ script: String, _ input: JSON...) -> Data? {
        ExternalTool.python.run(["-c", script], input: JSON.array(input).data)
    }

    @Test(.enabled(if: ExternalTool.hasCryptography), arguments: Phone.Kind.allCases)
    func `Python verifies the pushes, and its answers are taken`(kind: Phone.Kind) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled(Phone(kind))
        let key = JSON.object(phone.publicKey)
        let (login, push) = try await bench.login(asking: .number)
        #expect(python(Self.verifier, key, .string(push.jwt)) != nil)
        for fault in [PlusAuthSimulator.BadPush.wrongKey, .tampered(claim: "iat", value: 1)] {
            let forged = try await bench.login(spoiledBy: fault).push
            #expect(python(Self.verifier, key, .string(forged.jwt)) == nil)
        }
        let claims: JSON = ["selected_value": .string(try #require(login.shown))]
        let answer = try #require(python(Self.signer, .object(phone.privateKey), claims))
        let body: JSON = [
            "context": .string(String(decoding: answer, as: UTF8.self)),
            "device_identifier": .string(phone.identifier),
        ]
        #expect(try await bench.answer(body, push.token).status == 200)
        #expect(try await bench.status(login) == .approved)
    }

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `keys that Python makes enroll, and its verdict on a push is ours`() async throws {
        let script = """
            import sys, json, base64
            from cryptography.hazmat.primitives.asymmetric import rsa
            key = rsa.generate_private_key(65537, 2048).private_numbers()
            def text(n):
                raw = n.to_bytes((n.bit_length() + 7) // 8, 'big')
                return base64.urlsafe_b64encode(raw).rstrip(b'=').decode()
            public = dict(kty='RSA', n=text(key.public_numbers.n), e='AQAB', use='sig',
                alg='RS256', kid='python')
            private = dict(public, d=text(key.d), p=text(key.p), q=text(key.q),
                dp=text(key.dmp1), dq=text(key.dmq1), qi=text(key.iqmp))
            json.dump([public, private], sys.stdout)
            """
        let keys = try JSON(parsing: #require(python(script))).array
        var phone = try Phone(.rsa)
        phone.publicKey = try #require(keys?.first?.object)
        phone.privateKey = try #require(keys?.last?.object)
        let bench = Bench()
        try await bench.enrolled(phone)
        let push = try await bench.login().push
        #expect(python(Self.verifier, .object(phone.publicKey), .string(push.jwt)) != nil)
        let stranger = JSON.object(try Phone(.rsa).publicKey)
        #expect(python(Self.verifier, stranger, .string(push.jwt)) == nil)
        #expect(try await bench.answer(push, by: phone).status == 200)
    }

    @Test(.enabled(if: ExternalTool.hasPython))
    func `Python's one-time codes are the tenant's`() async throws {
        let script = """
            import sys, hmac, base64, json
            secret, name, digits, period, time = json.load(sys.stdin)
            key = base64.b32decode(secret + '=' * (-len(secret) % 8))
            mac = hmac.new(key, (time // period).to_bytes(8, 'big'), name.lower()).digest()
            at = mac[-1] & 15
            number = int.from_bytes(mac[at:at + 4], 'big') & 0x7fffffff
            sys.stdout.write(str(number % 10 ** digits).zfill(digits))
            """
        for (seed, algorithm) in PlusAuthSimulator.Configuration.CodeParameters.Algorithm.allCases
            .enumerated()
        {
            let bench = Bench {
                $0.random = SeededRandom(seed: UInt64(seed))
                $0.codes.algorithm = algorithm
                $0.codes.digits = 6 + seed
                $0.codes.period = 30 + 15 * seed
            }
            let login = try await bench.tenant.openPage(for: "ada", asking: .confirm)
            let uri = try await bench.tenant.enrollmentURI(for: "ada")
            let query = try #require(URLComponents(string: uri)?.queryItems)
            func item(_ name: String) -> String {
                query.first { $0.name == name }?.value ?? ""
            }
            let code = try #require(
                python(
                    script, .string(item("secret")), .string(item("algorithm")),
                    .integer(Int64(item("digits")) ?? 0),
                    .integer(Int64(item("period")) ?? 0),
                    .integer(Int64(Bench.now))))
            let text = String(decoding: code, as: UTF8.self)
            #expect(try await bench.enroll(Phone(), item("context_token")).status == 200)
            #expect(try await bench.tenant.submitCode(text, for: login.id) == .accepted)
        }
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL))
    func `OpenSSL verifies an RS256 push`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled(Phone(.rsa))
        let push = try await bench.login().push
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Asn1parse's generator makes the key from its two numbers, so no code of ours does.
        let modulus = hex(try data(base64url: phone.publicKey["n"]?.string ?? ""))
        let configuration = """
            asn1=SEQUENCE:key
            [key]
            algorithm=SEQUENCE:algorithm
            numbers=BITWRAP,SEQUENCE:numbers
            [algorithm]
            oid=OID:rsaEncryption
            null=NULL
            [numbers]
            n=INTEGER:0x\(modulus)
            e=INTEGER:0x10001
            """
        let file = { (name: String) in folder.appending(path: name) }
        try Data(configuration.utf8).write(to: file("key.cnf"))
        try push.signature.write(to: file("signature"))
        let generate = [
            "asn1parse", "-genconf", file("key.cnf").path, "-noout", "-out", file("key.der").path,
        ]
        try #require(ExternalTool.openSSL.run(generate) != nil)
        let verify = [
            "dgst", "-sha256", "-keyform", "DER", "-verify", file("key.der").path, "-signature",
            file("signature").path,
        ]
        #expect(ExternalTool.openSSL.run(verify, input: push.signed) != nil)
        #expect(ExternalTool.openSSL.run(verify, input: push.signed + [0]) == nil)
    }
}
