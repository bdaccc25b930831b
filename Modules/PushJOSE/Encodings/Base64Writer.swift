/// Writes base64 in one pass, straight into the string's own storage.
struct Base64Writer {
    let alphabet: Base64.Alphabet

    private static let standard: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    private static let url: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    func text(for bytes: UnsafeRawBufferPointer) -> String {
        let (groups, rest) = bytes.count.quotientAndRemainder(dividingBy: 3)
        let tail = rest == 0 ? 0 : (alphabet == .standard ? 4 : rest + 1)
        let length = groups * 4 + tail
        guard length > 0 else { return "" }
        return String(unsafeUninitializedCapacity: length) { output in
            write(bytes, groups: groups, rest: rest, to: output)
            return length
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, groups: Int, rest: Int,
        to output: UnsafeMutableBufferPointer<UInt8>
    ) {
        let characters = (alphabet == .standard ? Self.standard : Self.url).utf8Start
        var source = 0
        var target = 0
        for _ in 0..<groups {
            let value =
                UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8
                | UInt32(bytes[source + 2])
            output[target] = characters[Int(value >> 18)]
            output[target + 1] = characters[Int(value >> 12 & 63)]
            output[target + 2] = characters[Int(value >> 6 & 63)]
            output[target + 3] = characters[Int(value & 63)]
            source += 3
            target += 4
        }
        guard rest > 0 else { return }
        let second = rest == 2 ? UInt32(bytes[source + 1]) : 0
        let value = UInt32(bytes[source]) << 16 | second << 8
        output[target] = characters[Int(value >> 18)]
        output[target + 1] = characters[Int(value >> 12 & 63)]
        if rest == 2 { output[target + 2] = characters[Int(value >> 6 & 63)] }
        guard alphabet == .standard else { return }
        if rest == 1 { output[target + 2] = UInt8(ascii: "=") }
        output[target + 3] = UInt8(ascii: "=")
    }
}
