import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct SecretFoldingTests {
    @Test func `folding joins the halves by exclusive or`() {
        let halves: [UInt8] = Array(0..<16) + Array(repeating: 0xFF, count: 16)
        #expect(Secret(halves).folded().copy == (0..<16).map { 0xFF - $0 })
    }

    @Test func `both halves count`() {
        let bytes = Array<UInt8>(1...32)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(Secret(other).folded().copy != Secret(bytes).folded().copy)
        }
    }
}
