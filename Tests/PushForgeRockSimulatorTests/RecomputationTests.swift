import ExternalTool
import Foundation
import IndependentEncodings
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

/// One MAC of each kind, recomputed by programs that share no code with swift-crypto's caller.
struct RecomputationTests {
    private func python(_ key: Data, _ message: Data) throws -> Data {
        let script =
            "import hmac,hashlib,sys;"
            + "k=bytes.fromhex(sys.argv[1]);m=sys.stdin.buffer.read();"
            + "sys.stdout.buffer.write(hmac.new(k,m,hashlib.sha256).digest())"
        return try #require(
            ExternalTool.python.run(["-c", script, hex(key)], input: message))
    }

    private func openssl(_ key: Data, _ message: Data) throws -> Data {
        let command = [
            "dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(hex(key))", "-binary",
        ]
        return try #require(ExternalTool.openSSL.run(command, input: message))
    }

    private func flow(mac: (Data, Data) throws -> Data) async throws {
        let bench = Bench()
        let phone = try Phone(scanning: await bench.am.enrollmentURI(for: "jane"))
        let key = try phone.key
        func jwt(_ claims: JSON.Object) throws -> JSON {
            .string(
                try CompactJWS.text(["alg": "HS256", "typ": "JWT"], .object(claims)) {
                    try mac(key, $0)
                })
        }
        func response(_ challenge: Data) throws -> JSON {
            .string(try mac(key, challenge).base64EncodedString())
        }
        var claims = try phone.registrationClaims()
        claims["response"] = try response(
            try data(base64url: try #require(phone.parameters["c"])))
        let registration: JSON = [
            "messageId": .string(try #require(phone.parameters["m"])), "jwt": try jwt(claims),
        ]
        #expect(try await bench.post(registration, to: "register") == 200)

        let (login, push) = try await bench.login(asking: .number)
        let received = try Received(push)
        #expect(try mac(key, received.token.signed) == received.token.signature)

        let challenge = Data(bytes(base64: try #require(received.claims["c"]?.string)))
        let answer: JSON = [
            "messageId": .string(login.id),
            "jwt": try jwt([
                "response": try response(challenge),
                "challengeResponse": .string(try #require(login.shown)),
            ]),
        ]
        #expect(try await bench.post(answer, to: "authenticate") == 200)
        #expect(try await bench.am.status(of: login.id) == .approved)

        let refresh: JSON = [
            "mechanismUid": .string(phone.mechanismUID), "username": "jane",
            "jwt": try jwt(["deviceId": "ABCD", "communicationType": "apns"]),
        ]
        #expect(try await bench.post(refresh, to: "refresh") == 200)
    }

    @Test(.enabled(if: ExternalTool.hasPython))
    func `Python's MACs are the simulator's, in both directions`() async throws {
        try await flow(mac: python)
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL))
    func `OpenSSL's MACs are the simulator's, in both directions`() async throws {
        try await flow(mac: openssl)
    }
}
