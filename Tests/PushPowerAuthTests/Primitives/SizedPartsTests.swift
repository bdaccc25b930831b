import Testing

@testable import PushPowerAuth

@Suite struct SizedPartsTests {
    private func joined(_ parts: [UInt8]...) -> [UInt8] {
        var output: [UInt8] = []
        for part in parts { SizedParts.append(part, to: &output) }
        return output
    }

    @Test func `each part comes after its length`() {
        let long = [UInt8](repeating: 7, count: 0x0102)
        #expect(joined() == [])
        #expect(joined([]) == [0, 0, 0, 0])
        #expect(
            joined([1, 2, 3], [], long)
                == [0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 2] + long)
    }

    @Test func `lengths count bytes, not characters`() {
        #expect(joined(Array("é".utf8)) == [0, 0, 0, 2, 0xC3, 0xA9])
    }
}
