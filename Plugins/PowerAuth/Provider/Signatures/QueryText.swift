#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is signed of a `GET` request, in the place of a body: its query.
///
/// No endpoint of the vendor's is asked with `GET`; an app's own may be. The vendor's library
/// decodes a whole query once more before it takes it apart, so values with `%`, `&`, `=` or `+`
/// aren't verified reliably there.
enum QueryText {
    /// The parameters, form-encoded as Java's `URLEncoder` does, sorted by name and then by value
    /// before they were encoded, as sequences of UTF-16 code units.
    ///
    /// - Parameter parameters: The names and values, decoded.
    static func body(_ parameters: [(name: String, value: String)]) -> Data {
        let sorted = parameters.sorted { one, other in
            one.name.utf16.elementsEqual(other.name.utf16)
                ? one.value.utf16.lexicographicallyPrecedes(other.value.utf16)
                : one.name.utf16.lexicographicallyPrecedes(other.name.utf16)
        }
        let pairs = sorted.map { encoded($0.name) + [UInt8(ascii: "=")] + encoded($0.value) }
        return Data(pairs.joined(separator: [UInt8(ascii: "&")]))
    }

    private static func encoded(_ text: String) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: "*"):
                output.append(byte)
            case UInt8(ascii: " "): output.append(UInt8(ascii: "+"))
            default:
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return output
    }
}
