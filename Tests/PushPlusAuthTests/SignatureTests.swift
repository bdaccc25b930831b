import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// Header, account and signature: steps 2 to 4 of
/// `docs/vendors/plusauth.md#what-a-context-must-be`.
@Suite struct SignatureTests {
    @Test(arguments: [
        "none", "None", "HS256", "HS384", "HS512", "RS384", "RS512", "PS256", "PS384", "ES384",
        "ES512", "ES256K", "EdDSA", "rs256", "es256", "ES256 ", "",
    ])
    func `only two algorithms are believed`(algorithm: String) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key())
        let message = try context.with(header: "alg", .string(algorithm)).message()
        #expect(try await harness.refusal(of: message).code == .untrusted)
    }

    @Test(arguments: ["crit", "jku", "x5u", "jwk", "x5c", "b64"])
    func `a header that brings its own rules is refused`(name: String) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key())
        for value in ["https://evil.example/keys", [], ["exp"], false, [:], .null] as [JSON] {
            let message = try context.with(header: name, value).message()
            #expect(try await harness.refusal(of: message).code == .untrusted)
        }
    }

    @Test(arguments: ["JWT", "jwt", "Jwt", "application/jwt", "Application/JWT", nil] as [String?])
    func `a type, if given, is a JWT's`(type: String?) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key())
        _ = try await harness.challenge(
            context.with(header: "typ", type.map { .string($0) }))
    }

    @Test(arguments: ["JOSE", "at+jwt", "text/jwt", "", 7, ["JWT"]] as [JSON])
    func `any other type is refused`(type: JSON) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key())
        let message = try context.with(header: "typ", type).message()
        #expect(try await harness.refusal(of: message).code == .untrusted)
    }

    @Test func `an unknown header member changes nothing`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key())
        _ = try await harness.challenge(context.with(header: "x", "y"))
    }

    // MARK: Which account

    @Test(arguments: [nil, "unknown", ""] as [String?])
    func `without a known key's name every account is tried`(name: String?) async throws {
        let harness = try PlusAuthHarness()
        for account in ["ada", "bob", "cy"] { try await harness.enroll(.account(account)) }
        for (index, posted) in await harness.enrollments().enumerated() {
            let context = try ContextJWT(posted.key(), token: "ctx-\(index)")
                .with(header: "kid", name.map { .string($0) })
            let challenge = try await harness.challenge(context)
            #expect(challenge.id.enrollment.name == (try posted.key().id))
        }
    }

    @Test func `with an account's key's name only that account is tried`() async throws {
        let harness = try PlusAuthHarness()
        for account in ["ada", "bob"] { try await harness.enroll(.account(account)) }
        let keys = try await harness.enrollments().map { try $0.key() }
        let message = try ContextJWT(keys[0]).with(header: "kid", .string(keys[1].id)).message()
        #expect(try await harness.refusal(of: message).code == .untrusted)
        _ = try await harness.challenge(ContextJWT(keys[0]))
    }

    @Test func `an account's key is used with its own algorithm alone`() async throws {
        let harness = try await PlusAuthHarness.ofTheExamples(["ec"])
        let key = try Vectors().key("ec")
        let context = ContextJWT(key).with(header: "alg", "RS256")
        #expect(try await harness.refusal(of: context.message()).code == .untrusted)
        #expect(
            try await harness.refusal(of: context.with(header: "kid", nil).message()).code
                == .untrusted)
    }

    // MARK: Signatures

    @Test func `a shared secret made of the public key signs nothing`() async throws {
        for name in ["rsa", "ec"] {
            let harness = try await PlusAuthHarness.ofTheExamples([name])
            let key = try Vectors().key(name)
            let context = ContextJWT(key).with(header: "alg", "HS256")
            for secret in [key.publicPEM, key.publicPEM + "\n"] {
                let signature = hmac(Array(secret.utf8), context.signingInput)
                let token = "\(context.signingInput).\(base64url(signature))"
                #expect(
                    try await harness.refusal(of: ContextJWT.message(token)).code == .untrusted)
            }
        }
    }

    @Test(arguments: ["rsa", "ec"])
    func `a signature in another form than the algorithm's is refused`(name: String) async throws {
        let harness = try await PlusAuthHarness.ofTheExamples([name])
        let key = try Vectors().key(name)
        let input = ContextJWT(key).signingInput
        var flipped = try key.signature(over: input)
        flipped[10] ^= 1
        let good = try key.signature(over: input)
        let bad = try [
            key.oddSignature(over: input), flipped, good + [0], [0] + good, Array(good.dropLast()),
            good + good, [], Array(repeating: 0, count: good.count),
            AccountKey.stranger().signature(over: input),
        ]
        for signature in bad {
            let message = ContextJWT.message("\(input).\(base64url(signature))")
            #expect(try await harness.refusal(of: message).code == .untrusted)
        }
        _ = try await harness.challenge(ContextJWT.message("\(input).\(base64url(good))"))
    }

    @Test func `every character of a context is covered`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        let token = Array(try ContextJWT.code(key).token())
        // The last character of a part may hold bits that mean nothing; the others may not.
        for index in stride(from: 1, to: token.count - 2, by: 7) where token[index] != "." {
            var changed = token
            changed[index] = token[index] == "A" ? "B" : "A"
            let message = ContextJWT.message(String(changed))
            guard harness.provider.candidate(in: message) != nil else { continue }
            let error = try await refusal {
                _ = try await harness.authenticator.receive(message)
            }
            #expect(error.code == .untrusted)
        }
        #expect(try await harness.authenticator.records().isEmpty)
    }

    @Test func `claims are signed as they were written, not as they are read`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let payload = """
            { "type" : "prompt",\r\n "iat": 1702243057, "exp":1702250257,
              "context_token":"ctx\\u002d1", "extra": [1, 2] }
            """
        let challenge = try await harness.challenge(
            ContextJWT(harness.key()).message(payload: payload))
        #expect(challenge.details(as: PushContext.self)?.contextToken.text == "ctx-1")
    }
}
