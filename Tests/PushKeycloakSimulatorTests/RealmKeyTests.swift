import Foundation
import HTTPTypes
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

/// The realm's key set, and tokens that the realm would never make.
@Suite struct RealmKeyTests {
    typealias Bad = KeycloakSimulator.BadToken

    /// The keys for signatures, as `kid` and `alg`.
    private func keys(_ bench: Bench) async throws -> [String] {
        let keys = try #require(try await bench.keySet()["keys"]?.array)
        return keys.filter { $0["use"] == "sig" }
            .map { "\($0["kid"]?.string ?? "") \($0["alg"]?.string ?? "")" }
    }

    @Test(arguments: KeycloakSimulator.Algorithm.allCases)
    func `a realm signs with its default algorithm, under a kid of its key set`(
        algorithm: KeycloakSimulator.Algorithm
    ) async throws {
        let bench = Bench(algorithm)
        let token = try await bench.invited()
        #expect(token.header["alg"]?.string == algorithm.rawValue)
        #expect(try await token.isSigned(by: bench.keySet()))
        #expect(try await keys(bench).count == 1)
        let all = try #require(try await bench.keySet()["keys"]?.array)
        #expect(all.filter { $0["use"] == "enc" }.count == 1)
    }

    @Test func `the key set says how long it may be kept`() async throws {
        let bench = Bench()
        let path = Bench.realm + "/protocol/openid-connect/certs"
        let header = try await bench.send("GET", path).headers[.cacheControl]
        #expect(header == "no-transform, max-age=2592000")
        await bench.server.configure { $0.keysMaxAge = nil }
        #expect(try await bench.send("GET", path).headers[.cacheControl] == "no-cache")
    }

    @Test func `a new key signs, and the old one stays or goes`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (old, oldSet) = (try await bench.invited(), try await bench.keySet())
        let held = try await bench.accessToken(phone)
        try await bench.server.rotateRealmKey()
        let new = try await bench.invited()
        #expect(new.header["kid"] != old.header["kid"])
        #expect(try new.isSigned(by: oldSet) == false)
        let both = try await bench.keySet()
        #expect(try new.isSigned(by: both) && old.isSigned(by: both))
        let query = "?userId=\(phone.user)"
        let kept = try await bench.call(
            "GET", Bench.pendingPath, query: query, by: phone, with: held)
        #expect(kept.status == 200)
        try await bench.server.rotateRealmKey(keepingOld: false)
        #expect(try await keys(bench).count == 1)
        #expect(try await old.isSigned(by: bench.keySet()) == false)
        let gone = try await bench.call(
            "GET", Bench.pendingPath, query: query, by: phone, with: held)
        #expect(gone.words == "401 Invalid access token")
    }

    @Test func `another default algorithm has a key of its own beside the first`() async throws {
        let bench = Bench()
        let first = try await bench.invited()
        await bench.server.configure { $0.algorithm = .es512 }
        let second = try await bench.invited()
        #expect(second.header["alg"] == "ES512")
        let keySet = try await bench.keySet()
        #expect(try first.isSigned(by: keySet) && second.isSigned(by: keySet))
        #expect(try await keys(bench).count == 2)
    }

    @Test func `a realm takes keys that were made before`() async throws {
        let key = try KeycloakSimulator.RealmKey(.es384)
        let server = KeycloakSimulator(.init(algorithm: .es384), keys: [key])
        let code = try await server.enrollmentCode(for: "jane")
        let token = try ReadToken(String(code.dropFirst("my-secure://enroll?token=".utf8.count)))
        #expect(token.header["kid"]?.string == key.keyID)
    }

    // MARK: Bad tokens

    private static let unsigned: [Bad] = [
        .tampered(claim: "cid", value: "1a6d6a0b-3385-4772-8eb8-0d2f4dbd25a4"), .wrongKey,
        .unknownKey, .algNone, .hs256, .signatureInAnotherForm, .cutSignature,
    ]

    private static let signed: [Bad] = [
        .header("typ", "at+jwt"), .claim("iss", "https://evil.example/realms/demo"),
        .missing(claim: "credId"), .expired(ago: .seconds(60)), .otherKind,
        .padded(to: 20_000), .repeated,
    ]

    private func token(_ bad: Bad, _ algorithm: KeycloakSimulator.Algorithm) async throws
        -> (bench: Bench, token: ReadToken)
    {
        let bench = Bench(algorithm)
        let phone = try await bench.enrolled()
        let login = try await bench.start(spoiledBy: bad)
        let token = try await bench.pushed()
        #expect(try await bench.answer(phone, login.id).words == "200 approved")
        return (bench, token)
    }

    @Test(arguments: unsigned, [KeycloakSimulator.Algorithm.es256, .rs256])
    func `what no key of the realm signed isn't, while its login is genuine`(
        bad: Bad, algorithm: KeycloakSimulator.Algorithm
    ) async throws {
        let (bench, token) = try await token(bad, algorithm)
        let isSigned = try? await token.isSigned(by: bench.keySet())
        #expect(isSigned != true)
    }

    @Test(arguments: signed)
    func `what is signed but wrong is signed, while its login is genuine`(
        bad: Bad
    ) async throws {
        let (bench, token) = try await token(bad, .es256)
        #expect(try await token.isSigned(by: bench.keySet()))
        switch bad {
        case .header: #expect(token.header["typ"] == "at+jwt")
        case .claim: #expect(token.claims["iss"] == "https://evil.example/realms/demo")
        case .missing: #expect(token.claims["credId"] == nil)
        case .expired: #expect(token.claims["exp"] == 1_795_867_140)
        case .otherKind: #expect(token.claims["typ"] == "push-enroll-challenge")
        case .padded: #expect(token.text.utf8.count >= 20_000)
        case .repeated: #expect(await bench.server.takePushes().isEmpty)
        default: Issue.record("Not looked at.")
        }
    }

    @Test func `a code's token can be bad, too, and behind its address`() async throws {
        let bench = Bench()
        let code = try await bench.server.enrollmentCode(for: "jane", spoiledBy: .otherKind)
        let token = try ReadToken(String(code.dropFirst("my-secure://enroll?token=".utf8.count)))
        #expect(token.claims["typ"] == 1 && token.claims["credId"] != nil)
        await bench.server.configure { $0.usesRequestURI = true }
        let address = try await bench.server.enrollmentCode(
            for: "jane", spoiledBy: .claim("aud", "other"))
        let handle = try #require(address.split(separator: "%2F").last)
        let path = "\(Bench.realm)/push-mfa/enroll/request-token/\(handle)"
        let reply = try await bench.send("GET", path)
        let behind = try ReadToken(String(decoding: reply.body, as: UTF8.self))
        #expect(behind.claims["aud"] == "other")
    }
}
