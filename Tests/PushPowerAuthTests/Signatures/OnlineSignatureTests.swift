import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

/// Of powerauth-crypto, `signatures-v31.json`, the first case of each kind.
@Suite struct OnlineSignatureTests {
    private func components(_ keys: [String], _ counter: String, _ data: Data) throws -> String {
        try SignatureChain.withComponents(
            keys: keys.map { try Sample.secret($0) }, counter: Sample.counter(counter),
            over: Secret(data)
        ) { Secret(Array($0)).hex }
    }

    private func signature(_ keys: [String], _ counter: String, _ data: Data) throws -> String {
        try RequestSignature.online(
            keys: keys.map { try Sample.secret($0) }, counter: Sample.counter(counter),
            over: Secret(data))
    }

    @Test func `one factor signs as the vendor's does`() throws {
        let keys = ["wMVINAIEPefCRJzYrDODwA=="]
        let counter = "pGXiZWcjuNvB7NSF/AX/Fw=="
        #expect(
            try components(keys, counter, Data())
                == "fc6ce7908fc02c981d25ccaaa20722d51a6823980ca07a025f375f50ee1b2260")
        #expect(try signature(keys, counter, Data()) == "GmgjmAygegJfN19Q7hsiYA==")
    }

    @Test func `two factors sign as the vendor's do`() throws {
        let keys = ["NtqvzzwtSRbWkO40XbaJcQ==", "F8SfFX2UWeibws+9zojlwA=="]
        let counter = "64H8UkXgWHtwWOJ4a1FIQQ=="
        #expect(
            try components(keys, counter, Data())
                == "af8e506612724457449f8c0b9ee7f14a4394337f9cb529fc3452495063ad1d1c"
                + "5a43ef66e332727f1a462266801039c692e76384c42d247e13c903ea2b848f04")
        #expect(
            try signature(keys, counter, Data()) == "Q5Qzf5y1Kfw0UklQY60dHJLnY4TELSR+E8kD6iuEjwQ=")
    }

    @Test func `three factors sign as the vendor's do`() throws {
        let keys = [
            "Fe6tnvs1zLPuSPKOvHFJUA==", "zA+uNbx5wpk9noCZZGqFBw==", "0SUpEPxSiEzdMIq7O6ELdg==",
        ]
        #expect(
            try signature(keys, "9MiykCRNcbnSwfMMls9ttg==", Sample.data("I6nybjs+"))
                == "yg6OJqf5ZdsgEdDuDm/q5RA8p2cDbiYzUCPaf4u1rLv56oJi8jojLt16yfJkqnz3")
    }

    /// The chain of HMACs step by step, by the library's HMAC.
    @Test func `random signatures are those of the plain way to compute them`() throws {
        func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
        }
        let random = SeededRandom(seed: 11)
        for round in 0..<60 {
            let keys = (0...round % 3).map { _ in random.bytes(16) }
            let data = random.bytes(round * 7)
            let counter = try SignatureCounter(data: random.bytes(16))
            let hashed = keys.map { hmac($0.copy, counter.data.copy) }
            var expected: [UInt8] = hmac(hashed[0], data.copy)
            if keys.count > 1 { expected += hmac(hmac(hashed[1], hashed[1]), data.copy) }
            if keys.count > 2 {
                expected += hmac(hmac(hashed[2], hmac(hashed[1], hashed[2])), data.copy)
            }
            let components = try SignatureChain.withComponents(
                keys: keys, counter: counter, over: data
            ) { Array($0) }
            #expect(components == expected)
            let text = try RequestSignature.online(keys: keys, counter: counter, over: data)
            let tails = keys.indices.flatMap { expected[$0 * 32 + 16..<$0 * 32 + 32] }
            #expect(text == Data(tails).base64EncodedString())
            #expect(text.utf8.count == [24, 44, 64][keys.count - 1])
        }
    }

    @Test func `the order of the factors counts`() throws {
        let keys = ["NtqvzzwtSRbWkO40XbaJcQ==", "F8SfFX2UWeibws+9zojlwA=="]
        let counter = "64H8UkXgWHtwWOJ4a1FIQQ=="
        #expect(
            try signature(keys, counter, Data()) != signature(keys.reversed(), counter, Data()))
    }

    @Test func `nothing is signed without keys, with too many, or with keys of another size`()
        throws
    {
        let key = Secret(Sample.ascending(16))
        let counter = try SignatureCounter(data: key)
        for keys in [[], [key, key, key, key], [Secret(Sample.ascending(32))], [key, Secret([])]] {
            #expect(
                Sample.refusal {
                    _ = try RequestSignature.online(keys: keys, counter: counter, over: key)
                } == .invalidArgument)
            #expect(
                Sample.refusal {
                    _ = try RequestSignature.offline(keys: keys, counter: counter, over: key)
                } == .invalidArgument)
        }
    }
}
