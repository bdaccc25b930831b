package import Foundation

// The tests' own encodings, so that they don't lean on what they test.

/// Hexadecimal digits.
package func hex(_ bytes: some Sequence<UInt8>, upperCase: Bool = false) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: upperCase) }.joined()
}

/// The bytes of hexadecimal digits; what isn't a digit is skipped, so that UUIDs read as they are.
package func bytes(hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
}

package func base64(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString()
}

package func base64(_ text: String) -> String { base64(text.utf8) }

package func base64url(_ bytes: some Sequence<UInt8>) -> String {
    base64(bytes).replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
}

package func base64url(_ text: String) -> String { base64url(text.utf8) }

package func bytes(base64 text: String) -> [UInt8] { Array(Data(base64Encoded: text) ?? Data()) }

/// Strict: no padding, no other characters, no unused bits.
package func decoded(base64url text: some StringProtocol) -> [UInt8]? {
    guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    else { return nil }
    let standard = text.replacingOccurrences(of: "-", with: "+")
        .replacingOccurrences(of: "_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let data = Data(base64Encoded: standard + padding), base64url(data) == text else {
        return nil
    }
    return Array(data)
}

/// What ``decoded(base64url:)`` gives, for texts that a test has from what it tests.
package func data(base64url text: some StringProtocol) throws -> Data {
    guard let bytes = decoded(base64url: text) else { throw EncodingError() }
    return Data(bytes)
}

struct EncodingError: Error {}

/// A moment as HTTP tells it (RFC 9110, section 5.6.7).
package func httpDate(_ date: Date) -> String { httpDates.string(from: date) }

/// The moment that HTTP tells; `nil` if it is none.
package func date(http text: String) -> Date? { httpDates.date(from: text) }

private var httpDates: DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter
}
