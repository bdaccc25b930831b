import Crypto
import CryptoExtras
import Foundation
import IndependentEncodings
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

struct BadPushTests {
    typealias BadPush = PlusAuthSimulator.BadPush

    @Test(arguments: Phone.Kind.allCases)
    func `a forged push doesn't prove itself to the device's key`(kind: Phone.Kind) async throws {
        let bench = Bench { $0.random = SeededRandom(seed: 3) }
        let phone = try await bench.enrolled(Phone(kind))
        try await bench.enrolled(.another("john's"), for: "john")
        let faults: [BadPush] = [
            .tampered(claim: "type", value: "code"), .wrongKey, .signedWithKey(of: "john"),
            .algNone, .hs256, kind == .rsa ? .pss : .derSignature,
        ]
        for fault in faults {
            let push = try await bench.login(spoiledBy: fault).push
            #expect(try !phone.verifies(push))
            #expect(push.header["kid"] == phone.publicKey["kid"])
        }
    }

    @Test func `each forgery is what it says`() async throws {
        let bench = Bench { $0.random = SeededRandom(seed: 3) }
        let phone = try await bench.enrolled(Phone(.rsa))
        let john = try await bench.enrolled(.another("john's"), for: "john")
        let none = try await bench.login(spoiledBy: .algNone).push
        #expect(none.header["alg"] == "none" && none.jwt.hasSuffix("."))

        let pem = try #require(
            try? _RSA.Signing.PublicKey(
                n: try data(base64url: phone.publicKey["n"]?.string ?? ""),
                e: Data([1, 0, 1]))
        ).pemRepresentation
        let hs256 = try await bench.login(spoiledBy: .hs256).push
        #expect(hs256.header["alg"] == "HS256")
        #expect(
            hs256.signature
                == Data(
                    HMAC<SHA256>.authenticationCode(
                        for: hs256.signed, using: SymmetricKey(data: Data(pem.utf8)))))

        let pss = try await bench.login(spoiledBy: .pss).push
        #expect(pss.header["alg"] == "RS256")
        #expect(try phone.verifies(pss, padding: .PSS))

        let other = try await bench.login(spoiledBy: .signedWithKey(of: "john")).push
        #expect(try john.verifies(other))
        let wrong = try await bench.login(spoiledBy: .wrongKey).push
        #expect(wrong.signature.count == 256 && wrong.header["alg"] == "RS256")

        let der = try await bench.login("john", spoiledBy: .derSignature).push
        let key = try P256.Signing.PublicKey(
            rawRepresentation: try data(base64url: john.publicKey["x"]?.string ?? "")
                + data(base64url: john.publicKey["y"]?.string ?? ""))
        let signature = try P256.Signing.ECDSASignature(derRepresentation: der.signature)
        #expect(key.isValidSignature(signature, for: der.signed))
    }

    @Test(arguments: [
        (BadPush.claim("type", "biometric"), "type", JSON?.some("biometric")),
        (.claim("values", .array([])), "values", .array([])),
        (.missing(claim: "values"), "values", nil),
        (.missing(claim: "context_token"), "context_token", nil),
        (.foreignResolveURL("https://evil.example/x"), "resolve_url", "https://evil.example/x"),
        (.expired(ago: .seconds(100)), "exp", 1_702_243_000),
        (.expired(ago: .seconds(100)), "iat", 1_702_235_800),
        (.reflectedAnswer, "response", "accepted"), (.reflectedAnswer, "context_token", nil),
    ])
    func `an odd push is correctly signed`(
        fault: BadPush, claim: String, value: JSON?
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let push = try await bench.login(asking: .number, spoiledBy: fault).push
        #expect(push.claims[claim] == value)
        #expect(try phone.verifies(push))
    }

    @Test func `a header can have a member too many, and a push be too long`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let jku = try await bench.login(spoiledBy: .header("jku", "https://evil.example")).push
        #expect(jku.header["jku"] == "https://evil.example")
        #expect(try phone.verifies(jku))
        let long = try await bench.login(spoiledBy: .padded(to: 4097)).push
        #expect(long.jwt.utf8.count >= 4097)
        #expect(try phone.verifies(long))
    }

    @Test func `a fault that the key can't have, or a signer without device, is refused`()
        async throws
    {
        let bench = Bench()
        try await bench.enrolled(Phone(.rsa))
        try await bench.enrolled(.another("john's"), for: "john")
        for (user, fault) in [
            ("ada@example.com", BadPush.derSignature), ("john", .pss),
            ("john", .signedWithKey(of: "nobody")),
        ] {
            await #expect(throws: PushError.self) {
                try await bench.tenant.startLogin(of: user, asking: .confirm, spoiledBy: fault)
            }
        }
        #expect(await bench.tenant.takePushes().isEmpty)
    }

    @Test func `the server takes an answer to a push that looks expired`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login(spoiledBy: .expired(ago: .seconds(600)))
        #expect(try await bench.answer(push, by: phone).status == 200)
        #expect(try await bench.status(login) == .approved)
    }

    @Test func `a duplicate is the same bytes`() async throws {
        let bench = Bench()
        try await bench.enrolled()
        _ = try await bench.tenant.startLogin(
            of: "ada@example.com", asking: .confirm, spoiledBy: .duplicatePush)
        let pushes = await bench.tenant.takePushes()
        #expect(pushes.count == 2)
        #expect(Set(pushes.map(\.payload)).count == 1)
    }
}
