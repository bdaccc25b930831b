import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushKeycloak

/// What the core asks of every provider, over signed claims of the tests' own.
@Suite struct ConformanceTests {
    private let confirm: JSON.Object
    private let listed: JSON.Object

    init() throws {
        confirm = try Vectors().object("confirm")
        listed = try Vectors().object("listed")
    }

    private static func name(_ number: Int) -> JSON {
        .string("00000000-0000-4000-8000-00000000000\(number)")
    }

    private func push(
        _ number: Int, _ changes: [String: JSON?] = [:], by key: RealmTestKey = .one,
        header: JSON.Object = [:]
    ) throws -> PushMessage {
        let claims = confirm.with(["cid": Self.name(number)]).with(changes)
        return PushMessage(fcm: ["token": try key.signed(claims, header: header)])
    }

    /// A token that says how it is signed, and is signed by something else.
    private func token(algorithm: String, _ signature: (Data) -> Data) throws -> PushMessage {
        let header: JSON = ["alg": .string(algorithm), "kid": "realm-key-1", "typ": "JWT"]
        let text =
            Base64.encode(header.data, as: .url) + "."
            + Base64.encode(JSON.object(confirm).data, as: .url)
        let end = Base64.encode(signature(Data(text.utf8)), as: .url)
        return PushMessage(fcm: ["token": text + "." + end])
    }

    private func forged() throws -> [PushMessage] {
        let genuine = try RealmTestKey.one.signed(confirm)
        let parts = genuine.split(separator: ".")
        let other = Base64.encode(JSON.object(confirm.with(["exp": 1_760_009_999])).data, as: .url)
        let publicKey = try RealmTestKey.one.jwk.data
        return [
            try push(1, by: .other), try push(1, by: .other, header: ["kid": "realm-key-1"]),
            PushMessage(fcm: ["token": "\(parts[0]).\(other).\(parts[2])"]),
            try token(algorithm: "none") { _ in Data([0]) },
            try token(algorithm: "HS256") { message in
                let key = SymmetricKey(data: publicKey)
                return Data(HMAC<SHA256>.authenticationCode(for: message, using: key))
            },
            try push(1, ["iss": "https://evil.example/realms/demo"]),
        ]
    }

    private func fixtures(_ harness: ScriptedHarness) async throws -> ProviderFixtures {
        let link = try RealmTestKey.one.signed(confirm.with(["cid": Self.name(2)]))
        var fixtures = ProviderFixtures(genuine: [
            try push(0), try push(1, ["iat": nil]),
            PushMessage(text: "my-secure://confirm?token=\(link)", by: .link),
            try push(3, ["ver": 2]),
        ])
        fixtures.forged = try forged()
        fixtures.malformed = [
            try push(4, ["cid": "4"]), try push(4, ["exp": nil]), try push(4, ["typ": "ID"]),
        ]
        fixtures.foreign = [
            PushMessage(fcm: ["token": "hello"]), PushMessage(fcm: ["nonce": "x", "serial": "y"]),
            PushMessage(text: "https://www.example.com/?token=1", by: .scanned),
            PushMessage(
                text: "my-secure://enroll?token="
                    + (try RealmTestKey.one.signed(Vectors().object("code"))), by: .scanned),
        ]
        fixtures.unknownPrompts = [try push(5), try push(6)]
        fixtures.signing = ProviderFixtures.Signing(
            claims: [.object(confirm.with(["cid": Self.name(7)]))]
        ) { (claims) throws(PushError) in
            let token = try? RealmTestKey.one.signed(claims.object ?? [:])
            return PushMessage(fcm: ["token": token ?? ""])
        }
        let unknown: [JSON] = [["type": "face"], ["type": "pin", "pinLength": 99]]
        await harness.server.replyAlways(
            to: .list,
            .json([
                "challenges": .array(
                    (0..<8).map { number in
                        var entry = listed.with(["cid": Self.name(number)])
                        if 5...6 ~= number { entry["userVerification"] = unknown[number - 5] }
                        return .object(entry)
                    })
            ]))
        return fixtures
    }

    @Test func `the conformance suite finds nothing in the provider alone`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: try await fixtures(harness))
        let findings = await conformance.check()
        #expect(findings == [])
    }

    @Test func `the conformance suite finds nothing behind an authenticator`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: try await fixtures(harness))
        let findings = await conformance.check(behind: harness.authenticator)
        #expect(findings == [])
    }
}
