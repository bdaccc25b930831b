import Foundation
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

/// What the tenant checks about the two keys it is sent.
struct KeyTests {
    private func status(
        _ phone: Phone, _ change: (inout PlusAuthSimulator.Configuration) -> Void = { _ in }
    ) async throws -> Int {
        let bench = Bench(change)
        let reply = try await bench.enroll(phone, bench.ticket())
        #expect(reply.status == 200 || reply.error == "invalid_entity")
        return reply.status
    }

    @Test(arguments: ["kty", "n", "e", "use", "alg", "kid"])
    func `a public key without a documented member is refused`(member: String) async throws {
        for value in [JSON?.none, .null, "", 1] {
            var phone = try Phone(.rsa)
            phone.publicKey[member] = value
            #expect(try await status(phone) == 422)
        }
    }

    @Test(arguments: ["kty", "n", "e", "d", "p", "q", "dp", "dq", "qi"])
    func `a private key whose numbers are missing or don't fit is refused`(
        member: String
    ) async throws {
        let other = try Vectors("short-keys").object("rsa_private_jwk")
        let odd: [JSON?] = [nil, .null, "", "AA", "AQ", other[member == "kty" ? "n" : member]]
        for value in odd where value != (try Phone(.rsa)).privateKey[member] {
            for isSplit in [false, true] {
                var phone = try Phone(.rsa)
                phone.privateKey[member] = value
                #expect(try await status(phone) { $0.acceptsSplitKey = isSplit } == 422)
            }
        }
    }

    @Test(arguments: ["kty", "crv", "x", "y", "d"])
    func `a key of P-256 whose numbers are missing or don't fit is refused`(
        member: String
    ) async throws {
        for value in [JSON?.none, .null, "", "AA", try Phone.another("b").privateKey["d"]] {
            var phone = try Phone(.ec)
            phone.privateKey[member] = value
            #expect(try await status(phone) == 422)
            guard member != "d" else { continue }
            phone = try Phone(.ec)
            phone.publicKey[member] = value
            #expect(try await status(phone) == 422)
        }
    }

    @Test(arguments: Phone.Kind.allCases)
    func `a public key that gives the private one away is refused`(
        kind: Phone.Kind
    ) async throws {
        var phone = try Phone(kind)
        phone.publicKey = phone.privateKey
        #expect(try await status(phone) == 422)
    }

    @Test(arguments: ["RS384", "PS256", "HS256", "none", "rs256", "ES256"])
    func `an RSA key for another algorithm is refused`(algorithm: String) async throws {
        var phone = try Phone(.rsa)
        phone.publicKey["alg"] = .string(algorithm)
        #expect(try await status(phone) == 422)
        phone.privateKey["alg"] = .string(algorithm)
        #expect(try await status(phone) == 422)
    }

    @Test func `a key that isn't for signatures is refused`() async throws {
        var phone = try Phone(.rsa)
        phone.publicKey["use"] = "enc"
        #expect(try await status(phone) == 422)
        phone = try Phone(.rsa)
        phone.privateKey["use"] = "enc"
        #expect(try await status(phone) == 422)
    }

    @Test func `a short RSA key is refused, unless simulations are to be fast`() async throws {
        let short = try Vectors("short-keys")
        var phone = try Phone(.rsa)
        phone.publicKey = try short.object("rsa_public_jwk")
        phone.privateKey = try short.object("rsa_private_jwk")
        #expect(try await status(phone) == 422)
        #expect(try await status(phone) { $0.minimumRSABits = 1024 } == 200)
        let long = try Phone(.rsa)
        for isLong in [false, true] {
            var split = long
            if isLong {
                split.publicKey = phone.publicKey
            } else {
                split.privateKey = phone.privateKey
            }
            #expect(try await status(split) { $0.acceptsSplitKey = true } == 422)
        }
    }

    @Test func `a tenant may take RSA alone`() async throws {
        #expect(try await status(Phone(.ec)) { $0.requiresRSA = true } == 422)
        #expect(try await status(Phone(.rsa)) { $0.requiresRSA = true } == 200)
    }

    @Test func `halves of different pairs are refused, unless the tenant doesn't look`()
        async throws
    {
        let (a, b) = (try Phone.another("a"), try Phone.another("b"))
        var split = a
        split.publicKey = b.publicKey
        #expect(try await status(split) == 422)
        var mixed = split
        mixed.publicKey = try Phone(.rsa).publicKey
        #expect(try await status(mixed) { $0.acceptsSplitKey = true } == 422)

        let bench = Bench { $0.acceptsSplitKey = true }
        try await bench.enrolled(split)
        let (login, push) = try await bench.login()
        #expect(try a.verifies(push))
        #expect(push.header["kid"] == "a")
        #expect(try !b.verifies(push))
        var signer = a
        #expect(try await bench.answer(push, by: signer).status == 422)
        signer.privateKey = b.privateKey
        #expect(try await bench.answer(push, by: signer).status == 200)
        #expect(try await bench.status(login) == .approved)
    }
}
