/// Percent-encoding (RFC 3986, section 2.1), read leniently: what isn't an escape stays as it is.
enum PercentEncoding {
    static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
                let high = digit(bytes[position + 1]), let low = digit(bytes[position + 2])
            {
                output.append(high << 4 | low)
                position += 3
            } else {
                output.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
