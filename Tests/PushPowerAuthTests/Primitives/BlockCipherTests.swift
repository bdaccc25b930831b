import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct BlockCipherTests {
    private let key = Secret(Sample.ascending(16))
    private let iv = Array(Sample.ascending(16).reversed())

    private func encrypt(_ plain: [UInt8], padding: Bool) throws -> [UInt8] {
        try BlockCipher.encrypt(Secret(plain), key: key, iv: iv, padding: padding)
    }

    private func decrypt(_ encrypted: some Collection<UInt8>, padding: Bool) throws -> [UInt8] {
        try BlockCipher.decrypt(encrypted, key: key, iv: iv, padding: padding).copy
    }

    /// NIST SP 800-38A, section F.2.1: CBC-AES128.Encrypt, the first two blocks.
    @Test func `whole blocks without padding are NIST's`() throws {
        let plain = try Sample.data(
            hex: "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51")
        let encrypted = try BlockCipher.encrypt(
            Secret(plain), key: Sample.secret(hex: "2b7e151628aed2a6abf7158809cf4f3c"),
            iv: Array(Sample.ascending(16)), padding: false)
        #expect(
            try Data(encrypted)
                == Sample.data(
                    hex: "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2"))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 200])
    func `padding fills up to the next block and comes off again`(count: Int) throws {
        let plain = (0..<count).map { UInt8($0) }
        let encrypted = try encrypt(plain, padding: true)
        #expect(encrypted.count == (count / 16 + 1) * 16)
        #expect(try decrypt(encrypted, padding: true) == plain)
        // A slice keeps the indices of what it was cut from.
        #expect(try decrypt((Data([1]) + encrypted)[1...], padding: true) == plain)
    }

    @Test(arguments: 0...255)
    func `only a padding whose bytes all name its length comes off`(last: UInt8) throws {
        var random = SystemRandomNumberGenerator()
        for spoiled in 0...16 {
            // Two blocks that end in a padding of as many bytes, of which one may be another.
            var plain = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            for distance in 1...max(min(Int(last), 32), 1) { plain[32 - distance] = last }
            if spoiled > 0 { plain[32 - spoiled] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
            let count = Int(plain[31])
            let isPadded = 1...16 ~= count && plain.suffix(count).allSatisfy { Int($0) == count }
            let encrypted = try encrypt(plain, padding: false)
            if isPadded {
                #expect(try decrypt(encrypted, padding: true) == plain.dropLast(count))
            } else {
                #expect(Sample.refusal { _ = try decrypt(encrypted, padding: true) } == .untrusted)
            }
        }
    }

    @Test func `without padding a block stays a block`() throws {
        let plain = Array(Sample.ascending(16))
        let encrypted = try encrypt(plain, padding: false)
        #expect(encrypted.count == 16)
        #expect(try decrypt(encrypted, padding: false) == plain)
    }

    @Test func `without padding a part of a block is refused`() {
        #expect(Sample.refusal { _ = try encrypt([1, 2, 3], padding: false) } == .invalidArgument)
    }

    @Test func `keys for another AES, and vectors of another size, are refused`() throws {
        let block = Secret(Sample.ascending(16))
        for count in [0, 15, 24, 32] {
            let other = Secret(count: count) { _ in }
            let vector = [UInt8](repeating: 0, count: count)
            for (key, iv) in [(other, iv), (key, vector)] {
                #expect(
                    Sample.refusal {
                        _ = try BlockCipher.encrypt(block, key: key, iv: iv, padding: false)
                    } == .invalidArgument)
                #expect(
                    Sample.refusal {
                        _ = try BlockCipher.decrypt(block.copy, key: key, iv: iv, padding: false)
                    } == .invalidArgument)
            }
        }
    }

    @Test func `whatever is wrong with encrypted bytes is the same error`() throws {
        var broken = try encrypt(Array("a text".utf8), padding: true)
        // Its padding of ten bytes is no longer one.
        broken[15] ^= 0x80
        let scrambled = try BlockCipher.encrypt(
            Secret(Sample.ascending(16)), key: key, iv: iv, padding: false)
        for bytes in [broken, scrambled, [], Array(broken.dropLast()), [1]] {
            do {
                _ = try decrypt(bytes, padding: true)
                Issue.record("Bytes that nobody encrypted were decrypted.")
            } catch let error as PushError {
                #expect(error.code == .untrusted)
                #expect(error.reason == "The bytes can't be decrypted.")
                #expect(error.underlying == nil)
            }
        }
    }
}
