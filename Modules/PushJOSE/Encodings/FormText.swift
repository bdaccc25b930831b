import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The fields of a request, as a form or a query has them (url.spec.whatwg.org): all but the
/// unreserved characters of RFC 3986 section 2.3 is percent-encoded, spaces as `%20`.
public struct FormText: Sendable {
    /// The fields in order, decoded.
    public let fields: [(name: String, value: String)]

    /// Creates a form.
    public init(_ fields: [(name: String, value: String)]) {
        self.fields = fields
    }

    /// Reads what ``text`` has written; `nil` if it's anything else. A plus sign stays one.
    public init?(_ text: String) {
        var fields: [(name: String, value: String)] = []
        for pair in text.parts(at: "&") {
            let (encoded, rest) = pair.cut(at: "=")
            guard let rest, let name = PercentText.decoded(encoded),
                let value = PercentText.decoded(rest)
            else { return nil }
            fields.append((name, value))
        }
        self.fields = fields
    }

    /// The value of the first field of a name.
    public subscript(name: String) -> String? {
        fields.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// The form as text, such as for a query.
    public var text: String {
        fields.map { "\(PercentText.encoded($0.name))=\(PercentText.encoded($0.value))" }
            .joined(separator: "&")
    }

    /// The form as a body of the type `application/x-www-form-urlencoded`.
    public var data: Data { Data(text.utf8) }
}

/// Percent-encoding (RFC 3986 section 2.1), read strictly and once: a percent sign begins an escape,
/// and what comes out is UTF-8.
public enum PercentText {
    /// Encodes all but the unreserved characters of RFC 3986 section 2.3.
    public static func encoded(_ text: String) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                output.append(byte)
            default:
                output += [
                    UInt8(ascii: "%"), Hexadecimal.digit(byte >> 4, true),
                    Hexadecimal.digit(byte & 15, true),
                ]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - plusIsSpace: Whether a literal plus stands for a space, as browsers' forms write one.
    /// - Returns: `nil` if it isn't percent-encoded UTF-8.
    public static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = digit(bytes.next()), let low = digit(bytes.next()) else {
                    return nil
                }
                output.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                output.append(UInt8(ascii: " "))
            default:
                output.append(byte)
            }
        }
        return String(validUTF8: output)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Hexadecimal.value(of: $0) }
    }
}
