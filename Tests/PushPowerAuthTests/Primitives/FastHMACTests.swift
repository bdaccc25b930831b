import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct FastHMACTests {
    @Test(arguments: [0, 1, 16, 31, 32, 63, 64, 65, 100])
    func `codes are those of the library for every length of key and message`(keyCount: Int) {
        let random = SeededRandom(seed: 5)
        let key = random.bytes(keyCount)
        for count in [0, 1, 16, 32, 55, 56, 63, 64, 65, 119, 120, 352, 5000] {
            let message = random.bytes(count)
            let expected = HMAC<SHA256>.authenticationCode(
                for: message.copy, using: SymmetricKey(data: key.copy))
            let code = message.withBytes { FastHMAC.code(for: $0, key: key) }
            #expect(code.copy == Array(expected))
        }
    }

    @Test func `a used scratch and an output that is also key and message change nothing`() {
        let random = SeededRandom(seed: 6)
        let bytes = random.bytes(32)
        let expected = HMAC<SHA256>.authenticationCode(
            for: bytes.copy, using: SymmetricKey(data: bytes.copy))
        let dirty = random.bytes(FastHMAC.scratchCount).copy
        let result = Secret(count: 32) { output in
            bytes.withBytes { output.copyMemory(from: $0) }
            var scratch = dirty
            scratch.withUnsafeMutableBytes {
                FastHMAC.authenticate(
                    UnsafeRawBufferPointer(output), key: UnsafeRawBufferPointer(output),
                    scratch: $0, into: output)
            }
        }
        #expect(result.copy == Array(expected))
    }
}
