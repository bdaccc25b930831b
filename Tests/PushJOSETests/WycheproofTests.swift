import Foundation
import PushCore
import PushJOSE
import PushTesting
import Testing

/// The published cases of `Vectors/wycheproof.json`, which names its source.
struct WycheproofTests {
    private let file: Vectors

    init() throws {
        file = try Vectors("wycheproof", in: Bundle.module.resourceURL)
        #expect(file["source"]?.string?.hasPrefix("github.com/C2SP/wycheproof") == true)
    }

    /// The groups of a kind, each with its cases.
    private func groups(_ kind: String) throws -> [(group: JSON.Object, cases: [[JSON]])] {
        try #require(file[kind]?.array).map { group in
            let group = try #require(group.object)
            return (group, try #require(group["cases"]?.array).map { try #require($0.array) })
        }
    }

    @Test
    func
        `signatures of P-384, P-521 and RSA with SHA-384 and SHA-512 are right or wrong as published`()
        throws
    {
        var seen: [JWSAlgorithm: Set<Bool>] = [:]
        for (group, cases) in try groups("signatures") {
            let name = try #require(group["algorithm"]?.string)
            let algorithm = try #require(JWSAlgorithm(rawValue: name))
            let key = try JWSPublicKey(JWK(#require(group["key"]?.object)), for: algorithm)
            #expect(key.algorithm == name)
            for one in cases {
                let (id, isValid) = (one[0].integer ?? 0, one[1].bool)
                let message = try #require(Hexadecimal.bytes(one[2].string?.utf8 ?? "".utf8))
                let signature = try #require(Hexadecimal.bytes(one[3].string?.utf8 ?? "".utf8))
                let code = refusal { try key.verify(Data(signature), over: Data(message)) }
                #expect(code == (isValid == true ? nil : .untrusted), "\(name) \(id)")
                seen[algorithm, default: []].insert(isValid == true)
            }
        }
        for algorithm: JWSAlgorithm in [.es384, .es512, .rs384, .rs512] {
            #expect(seen[algorithm] == [true, false])
        }
    }

    /// Valid there and refused here: an empty payload, and characters that aren't of base64url.
    private static let refusedHere: Set<Int64> = [259, 264, 268, 372, 373]

    private func verify(_ token: String, by jwk: JWK) throws {
        let jws = try UnverifiedJWS(parsing: token)
        if jwk.keyType == "oct" {
            _ = try jws.verified(by: HS256Key(jwk, for: .verify))
        } else {
            let algorithm = jwk.algorithm ?? (jwk.keyType == "EC" ? "ES256" : "RS256")
            let key = try JWSPublicKey(jwk, for: #require(JWSAlgorithm(rawValue: algorithm)))
            _ = try jws.verified(by: key)
        }
    }

    @Test func `tokens of one key are right or wrong as published`() throws {
        var count = (valid: 0, invalid: 0)
        for (group, cases) in try groups("tokens") {
            let jwk = try JWK(#require(group["key"]?.object))
            for one in cases {
                let id = one[0].integer ?? 0
                let isValid = one[1].bool == true && !Self.refusedHere.contains(id)
                let token = try #require(one[2].string)
                let code = refusal { try verify(token, by: jwk) }
                #expect((code == nil) == isValid, "\(id)")
                if isValid { count.valid += 1 } else { count.invalid += 1 }
            }
        }
        #expect(count.valid > 15 && count.invalid > 90)
    }

    @Test func `tokens of a set are right or wrong as published`() throws {
        for (group, cases) in try groups("sets") {
            let set = try JWKSet(parsing: JSON.object(#require(group["set"]?.object)).data)
            for one in cases {
                let text = try #require(one[2].string)
                // Two of them have an empty payload, which no reader here takes.
                let code = refusal {
                    let token = try UnverifiedJWS(parsing: text)
                    _ = try token.verified(by: set.key(for: token.unverifiedHeader))
                }
                #expect((code == nil) == (one[1].bool == true), "\(one[0])")
            }
        }
    }
}
