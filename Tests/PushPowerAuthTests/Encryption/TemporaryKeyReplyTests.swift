import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

struct TemporaryKeyReplyTests {
    private func request(inActivation: Bool = true) throws -> TemporaryKeyRequest {
        TemporaryKeyRequest(
            try Wire.scope(inActivation: inActivation), challenge: Wire.base64(0..<18))
    }

    private func code(
        _ jwt: String, to request: TemporaryKeyRequest
    ) throws -> PushError.Code? {
        let serverKey = try SignedReply.serverKey()
        return refusal { () throws(PushError) in
            try request.key(from: jwt, signedBy: serverKey, sent: .zero)
        }
    }

    /// What comes of a reply with one claim set, or removed.
    private func code(
        _ name: String, _ value: JSON?, inActivation: Bool = true
    ) throws -> PushError.Code? {
        let request = try request(inActivation: inActivation)
        var reply = try SignedReply(to: request)
        reply.claims[name] = value
        return try code(reply.jwt(), to: request)
    }

    @Test(arguments: [false, true])
    func `a genuine reply brings a key, the server's time, and how long the key lives`(
        inActivation: Bool
    ) throws {
        let request = try request(inActivation: inActivation)
        let jwt = try SignedReply(to: request).jwt()
        let key = try request.key(
            from: jwt, signedBy: SignedReply.serverKey(), sent: .seconds(1000))
        #expect(key.key.id == SignedReply.id)
        #expect(try key.key.publicKey == Wire.point(Wire.privateKey(21)))
        #expect(key.issued == Date(timeIntervalSince1970: 1_723_109_505.420))
        #expect(key.end == .seconds(1300))
    }

    @Test func `a key in 33 bytes is the same key`() throws {
        let compressed = try Wire.privateKey(21).publicKey.compressedRepresentation
        let request = try request()
        var reply = try SignedReply(to: request)
        reply.claims["publicKey"] = .string(Wire.base64(compressed))
        let key = try request.key(
            from: reply.jwt(), signedBy: SignedReply.serverKey(), sent: .zero)
        #expect(try key.key.publicKey == Wire.point(Wire.privateKey(21)))
    }

    // MARK: Who signed

    @Test(arguments: [
        #"{"alg":"es256"}"#, #"{"alg":"ES384"}"#, #"{"alg":"RS256"}"#, #"{"alg":"HS256"}"#,
        #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":" ES256"}"#, #"{"alg":"ES256","crit":[]}"#,
        #"{"alg":"ES256","jwk":{}}"#, #"{"alg":"ES256","b64":false}"#,
    ])
    func `any other algorithm than ES256 is refused, though the signature is right`(
        header: String
    ) throws {
        let request = try request()
        var reply = try SignedReply(to: request)
        reply.header = header
        #expect(try code(reply.jwt(), to: request) == .untrusted)
    }

    @Test func `a reply without an algorithm is refused`() throws {
        let request = try request()
        var reply = try SignedReply(to: request)
        reply.header = #"{"typ":"JWT"}"#
        #expect(try code(reply.jwt(), to: request) == .malformed)
    }

    @Test func `the public key isn't taken for a shared one`() throws {
        let request = try request()
        var reply = try SignedReply(to: request)
        reply.header = #"{"alg":"HS256"}"#
        let serverKey = try SignedReply.serverKey()
        for form in [serverKey.uncompressed, serverKey.agreementKey.compressedRepresentation] {
            let mac = ReferenceServer.hmac(Array(form), Array(reply.input.utf8))
            #expect(try code(reply.jwt(signature: mac), to: request) == .untrusted)
        }
    }

    @Test func `another server's signature is refused`() throws {
        let request = try request()
        var reply = try SignedReply(to: request)
        reply.signer = P256.Signing.PrivateKey()
        #expect(try code(reply.jwt(), to: request) == .untrusted)
    }

    @Test func `a signature as DER, or of another size than 64 bytes, is refused`() throws {
        let request = try request()
        let reply = try SignedReply(to: request)
        let signature = try reply.signer.signature(for: Data(reply.input.utf8))
        let raw = Array(signature.rawRepresentation)
        #expect(try code(reply.jwt(signature: raw), to: request) == nil)
        for other in [
            Array(signature.derRepresentation), Array(raw.dropLast()), raw + [0], [0] + raw,
            [UInt8](repeating: 0, count: 64), [0],
        ] {
            #expect(try code(reply.jwt(signature: other), to: request) == .untrusted)
        }
    }

    @Test func `a signature over the digest instead of the text is refused`() throws {
        let request = try request()
        let reply = try SignedReply(to: request)
        let digest = Data(SHA256.hash(data: Data(reply.input.utf8)))
        let signature = try reply.signer.signature(for: digest).rawRepresentation
        #expect(try code(reply.jwt(signature: signature), to: request) == .untrusted)
    }

    @Test func `a reply with any character changed is refused`() throws {
        let request = try request()
        let jwt = Array(try SignedReply(to: request).jwt().utf8)
        for position in jwt.indices {
            var changed = jwt
            changed[position] = jwt[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 0x41
            #expect(try code(String(decoding: changed, as: UTF8.self), to: request) != nil)
        }
    }

    @Test(arguments: ["", ".", "..", "a.b.c", "e30.e30.", "e30.e30", "e30.e30.AA.AA", "null"])
    func `what is no JWT is refused`(jwt: String) throws {
        #expect(try code(jwt, to: request()) == .malformed)
    }

    @Test func `padded parts are refused, and claims that are no object`() throws {
        let request = try request()
        let reply = try SignedReply(to: request)
        #expect(try code(reply.jwt() + "=", to: request) == .malformed)
        let input = Wire.base64url(reply.header.utf8) + "." + Wire.base64url("[]".utf8)
        let signature = try reply.signer.signature(for: Data(input.utf8)).rawRepresentation
        #expect(try code(input + "." + Wire.base64url(signature), to: request) == .malformed)
    }

    // MARK: What it answers

    @Test(arguments: ["applicationKey", "activationId", "challenge"])
    func `a reply that doesn't repeat the request is refused`(name: String) throws {
        for value: JSON? in [nil, .null, "", 1, ["x"], "LP6or0cjm8Sy0tQICc4sPg=="] {
            #expect(try code(name, value) == .untrusted)
        }
    }

    @Test func `ids are compared by byte: neither case nor spelling may differ`() throws {
        #expect(try code("activationId", .string(Wire.activationID.uppercased())) == .untrusted)
        let scope = EncryptionScope.activation(
            try Wire.application(), activationID: "caf\u{E9}", transportKey: Secret([1]))
        let request = TemporaryKeyRequest(scope, challenge: "c")
        var reply = try SignedReply(to: request)
        #expect(try code(reply.jwt(), to: request) == nil)
        reply.claims["activationId"] = "cafe\u{301}"
        #expect(try code(reply.jwt(), to: request) == .untrusted)
    }

    @Test(arguments: [JSON.string(Wire.activationID), "", .null, 1])
    func `a reply for an activation isn't one for the application`(value: JSON) throws {
        #expect(try code("activationId", value, inActivation: false) == .untrusted)
    }

    @Test func `the reply to an earlier question is refused`() throws {
        let scope = try Wire.scope(inActivation: true)
        let earlier = TemporaryKeyRequest(scope, random: SystemRandom())
        let jwt = try SignedReply(to: earlier).jwt()
        #expect(try code(jwt, to: earlier) == nil)
        let later = TemporaryKeyRequest(scope, random: SystemRandom())
        #expect(try code(jwt, to: later) == .untrusted)
    }

    // MARK: What it brings

    @Test func `a key without an identifier is refused`() throws {
        for value: JSON? in [nil, .null, "", 1, ["x"]] {
            #expect(try code("sub", value) == .malformed)
        }
    }

    @Test func `what is no point of the curve is refused`() throws {
        let point = Array(try Wire.privateKey(21).publicKey.x963Representation)
        var offCurve = point
        offCurve[64] ^= 1
        let parity = 6 + (point[64] & 1)
        let bad: [[UInt8]] = [
            [], [0], Array(point.dropFirst()), [parity] + point.dropFirst(), offCurve,
            point + [0], Array(point.dropLast()), [5] + point[1...32],
            [4] + [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0, count: 33),
        ]
        for bytes in bad {
            #expect(try code("publicKey", .string(Wire.base64(bytes))) == .malformed)
        }
        for value: JSON? in [nil, .null, 1, .string(Wire.base64url(point)), "not base64"] {
            #expect(try code("publicKey", value) == .malformed)
        }
        let text = Wire.base64(point)
        for form in [" " + text, text + "\n", String(text.dropLast()), text + "="] {
            #expect(try code("publicKey", .string(form)) == .malformed)
        }
        // 65 bytes leave two bits over in the last character, which must be zero.
        var spare = Array(text.utf8)
        spare[spare.count - 2] += 1
        #expect(
            try code("publicKey", .string(String(decoding: spare, as: UTF8.self))) == .malformed)
    }

    @Test(arguments: ["iat_ms", "exp_ms"])
    func `a time that is missing or isn't whole milliseconds is refused`(name: String) throws {
        let bad: [JSON?] = [
            nil, .null, "1723109505420", .number(.init(1_723_109_505_420.5) ?? .init(0)), -1,
            9_223_372_036_854_775_807, ["x"],
        ]
        for value in bad { #expect(try code(name, value) == .malformed) }
    }

    @Test(arguments: ["iat", "exp"])
    func `seconds that contradict the milliseconds are refused, absent ones aren't`(
        name: String
    ) throws {
        let seconds = SignedReply.issued / 1000 + (name == "exp" ? 300 : 0)
        for value: JSON in [
            .null, "1723109505", 0, -1, .integer(seconds + 2), .integer(seconds - 2),
            .integer(SignedReply.issued), .integer(Int64.min), .integer(Int64.max),
        ] {
            #expect(try code(name, value) == .malformed)
        }
        for value: JSON? in [nil, .integer(seconds + 1)] {
            #expect(try code(name, value) == nil)
        }
    }

    @Test func `a key that ends when it begins, or before, is refused`() throws {
        let request = try request()
        for life in [0, -1, -300_000] as [Int64] {
            var reply = try SignedReply(to: request)
            reply.claims["exp"] = nil
            reply.claims["exp_ms"] = .integer(SignedReply.issued + life)
            #expect(try code(reply.jwt(), to: request) == .malformed)
        }
    }
}
