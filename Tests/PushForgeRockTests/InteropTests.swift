import ExternalTool
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// The same numbers by programs that know nothing of our code, with secrets nobody chose.
@Suite struct InteropTests {
    /// Recomputes a posted token's signature and, if it has one, its response.
    private func expectPythonAgrees(
        _ posted: Posted, key: [UInt8], challenge: [UInt8]?
    ) throws {
        let script = """
            import base64, hashlib, hmac, json, sys
            key, challenge, jwt = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2]), sys.argv[3]
            head, body, signature = jwt.split(".")
            pad = lambda s: s + "=" * (-len(s) % 4)
            mac = hmac.new(key, f"{head}.{body}".encode(), hashlib.sha256).digest()
            assert base64.urlsafe_b64encode(mac).decode().rstrip("=") == signature
            claims = json.loads(base64.urlsafe_b64decode(pad(body)))
            if challenge:
                mac = hmac.new(key, challenge, hashlib.sha256).digest()
                assert claims["response"] == base64.b64encode(mac).decode()
            print("agreed")
            """
        let output = ExternalTool.python.run(
            ["-c", script, hex(key), hex(challenge ?? []), posted.jwt])
        #expect(output.map { String(decoding: $0, as: UTF8.self) } == "agreed\n")
    }

    /// Recomputes a posted token's signature.
    private func expectOpenSSLAgrees(_ posted: Posted, key: [UInt8]) throws {
        let parts = posted.jwt.split(separator: ".")
        let output = ExternalTool.openSSL.run(
            ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(hex(key))", "-binary"],
            input: Data("\(parts[0]).\(parts[1])".utf8))
        #expect(output.map { base64url($0) } == String(parts[2]))
    }

    /// Enrolls, answers in every way and refreshes, with random secrets; everything that was sent.
    private func everything(
        key: [UInt8], registration: [UInt8], challenge: [UInt8], id: String
    ) async throws -> [Posted] {
        let code = EnrollmentCode().with("s", base64url(key))
            .with("c", base64url(registration)).text
        var posted: [Posted] = []
        let kinds: [AMPush] = [AMPush(), .challenge(), .biometric, AMPush()]
        for (index, kind) in kinds.enumerated() {
            let harness = try ForgeRockHarness(mechanism: id)
            try await harness.enroll(code)
            let notification = try await harness.notification(
                kind.about(challenge).signed(by: key).with("u", .string(id)))
            switch (notification.pushType, index) {
            case (_, 3): _ = try await notification.deny()
            case (.challenge, _): _ = try await notification.accept(challengeResponse: "86")
            case (.biometric, _):
                _ = try await notification.accept(title: "x", allowDeviceCredentials: false)
            default: _ = try await notification.accept()
            }
            try await harness.authenticator.deviceTokenChanged(
                .fcm("a/\"\\<&>"), for: Enrollment.ID(id, of: "forgerock"))
            posted += try await harness.transport.exchanges.map { try Posted($0, key: key) }
        }
        return posted
    }

    @Test(.enabled(if: ExternalTool.hasPython))
    func `Python computes every response and signature alike`() async throws {
        let (key, registration, challenge) = (randomBytes(), randomBytes(), randomBytes())
        let all = try await everything(
            key: key, registration: registration, challenge: challenge, id: randomUUID())
        #expect(all.count == 12)
        for posted in all {
            let isRegistration = posted.url.hasSuffix("register")
            let isRefresh = posted.url.hasSuffix("refresh")
            try expectPythonAgrees(
                posted, key: key,
                challenge: isRefresh ? nil : isRegistration ? registration : challenge)
        }
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL))
    func `OpenSSL computes every signature alike`() async throws {
        let key = randomBytes()
        let all = try await everything(
            key: key, registration: randomBytes(), challenge: randomBytes(), id: randomUUID())
        #expect(all.count == 12)
        for posted in all { try expectOpenSSLAgrees(posted, key: key) }
    }

    @Test(.enabled(if: ExternalTool.hasPython))
    func `a push that Python signed is believed`() async throws {
        let key = randomBytes()
        let harness = try await ForgeRockHarness.enrolled(
            EnrollmentCode().with("s", base64url(key)))
        let script = """
            import base64, hashlib, hmac, json, sys
            b64u = lambda b: base64.urlsafe_b64encode(b).decode().rstrip("=")
            head = b64u(json.dumps({"kid": "x", "alg": "HS256"}).encode())
            body = b64u(sys.stdin.buffer.read())
            mac = hmac.new(bytes.fromhex(sys.argv[1]), f"{head}.{body}".encode(), hashlib.sha256)
            print(f"{head}.{body}.{b64u(mac.digest())}", end="")
            """
        let claims = JSON.object(AMPush.challenge().claims).data
        let output = try #require(
            ExternalTool.python.run(["-c", script, hex(key)], input: claims))
        let message = try AMPush.message(String(decoding: output, as: UTF8.self))
        let notification = try #require(await harness.handler.notification(from: message))
        #expect(notification.numbersChallengeArray == [17, 42, 86])
    }

    /// A version 4 UUID in upper case.
    private func randomUUID() -> String { UUID().uuidString.uppercased() }
}
