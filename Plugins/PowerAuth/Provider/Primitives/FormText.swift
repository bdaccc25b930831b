import PushCore

/// Names and values as forms write them (the URL Standard, `application/x-www-form-urlencoded`).
enum FormText {
    /// A text without `+` for a blank and without `%` for a byte; `nil` if it can't be decoded.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Hexadecimal.value(of:)),
                    let low = rest.popFirst().flatMap(Hexadecimal.value(of:))
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validUTF8: bytes)
    }

    /// A text as it stands in a form: a blank is `+`, and all but letters, digits and `-_.*` is `%` and a
    /// byte.
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: "*"):
                bytes.append(byte)
            default:
                bytes += [
                    UInt8(ascii: "%"), Hexadecimal.digit(byte >> 4, true),
                    Hexadecimal.digit(byte & 15, true),
                ]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
