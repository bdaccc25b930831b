import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The fields of a request, as a form or a query has them: all but the unreserved characters of
/// RFC 3986 section 2.3 is percent-encoded.
struct FormText {
    private(set) var fields: [(name: String, value: String)]

    init(_ fields: [(name: String, value: String)]) {
        self.fields = fields
    }

    /// Reads what ``text`` has written.
    init?(_ text: String) {
        fields = []
        for pair in text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = PercentText.decoded(Substring(parts[0])),
                let value = PercentText.decoded(Substring(parts[1]))
            else { return nil }
            fields.append((name, value))
        }
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    var text: String {
        fields.map { "\(PercentText.encoded($0.name))=\(PercentText.encoded($0.value))" }
            .joined(separator: "&")
    }

    var data: Data { Data(text.utf8) }
}

/// Percent-encoding (RFC 3986 section 2.1), read strictly and once. A plus sign stays one.
enum PercentText {
    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if SerialText.isAllowed(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
            {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// - Returns: `nil` if it isn't percent-encoded UTF-8.
    static func decoded(_ text: Substring) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                output.append(byte)
                continue
            }
            guard let high = digit(bytes.next()), let low = digit(bytes.next()) else { return nil }
            output.append(high << 4 | low)
        }
        return String(validUTF8: output)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map(UInt8.init)
    }
}
