import Crypto
import IndependentEncodings
import PushCore
import Testing

@testable import PushJOSE

@Suite struct FastHMACTests {
    /// RFC 4231, the test cases of section 4 but the one of a truncated code.
    struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    static let vectors = [
        Vector(
            key: Array(repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Vector(
            key: Array(repeating: 0xAA, count: 20), message: Array(repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Vector(
            key: Array(1...25), message: Array(repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Vector(
            key: Array(repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Vector(
            key: Array(repeating: 0xAA, count: 131),
            message: Array(
                """
                This is a test using a larger than block-size key and a larger than block-size \
                data. The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    @Test(arguments: vectors.indices)
    func `codes are those of RFC 4231`(index: Int) {
        let vector = Self.vectors[index]
        let code = vector.message.withUnsafeBytes {
            FastHMAC.code(for: $0, key: Secret(vector.key))
        }
        #expect(hex(code.bytes) == vector.code)
    }

    @Test(arguments: [0, 1, 16, 31, 32, 63, 64, 65, 100])
    func `codes are those of the library for every length of key and message`(keyCount: Int) {
        var generator = SeededGenerator(seed: 5)
        let key = generator.bytes(keyCount)
        for count in [0, 1, 16, 32, 55, 56, 63, 64, 65, 119, 120, 352, 5000] {
            let message = generator.bytes(count)
            let expected = Array(
                HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
            message.withUnsafeBytes { message in
                #expect(FastHMAC.code(for: message, key: Secret(key)).bytes == expected)
                expected.withUnsafeBytes {
                    #expect(FastHMAC.isCode($0, for: message, key: Secret(key)))
                }
            }
        }
    }

    @Test func `a code with any bit changed, any byte missing or one more is refused`() {
        var generator = SeededGenerator(seed: 7)
        let key = Secret(generator.bytes(32))
        let message = generator.bytes(700)
        let code = message.withUnsafeBytes { FastHMAC.code(for: $0, key: key).bytes }
        func isTaken(_ code: [UInt8]) -> Bool {
            message.withUnsafeBytes { message in
                code.withUnsafeBytes { FastHMAC.isCode($0, for: message, key: key) }
            }
        }
        #expect(isTaken(code))
        for bit in 0..<(8 * code.count) {
            var changed = code
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!isTaken(changed))
        }
        for count in 0..<code.count { #expect(!isTaken(Array(code[..<count]))) }
        #expect(!isTaken(code + [0]))
    }

    @Test func `a used scratch and an output that is also key and message change nothing`() {
        var generator = SeededGenerator(seed: 6)
        let bytes = generator.bytes(32)
        let expected = HMAC<SHA256>.authenticationCode(
            for: bytes, using: SymmetricKey(data: bytes))
        var scratch = generator.bytes(FastHMAC.scratchCount)
        var result = bytes
        result.withUnsafeMutableBytes { output in
            scratch.withUnsafeMutableBytes {
                FastHMAC.authenticate(
                    UnsafeRawBufferPointer(output), key: UnsafeRawBufferPointer(output),
                    scratch: $0, into: output)
            }
        }
        #expect(result == Array(expected))
    }
}
