public import Foundation

extension Data {
    /// Reads base64url without padding (RFC 4648, section 5).
    ///
    /// - Returns: `nil` for anything else, padding included.
    public init?(base64URL text: some StringProtocol) {
        var plain = ""
        for character in text {
            switch character {
            case "-": plain.append("+")
            case "_": plain.append("/")
            case "+", "/", "=": return nil
            default: plain.append(character)
            }
        }
        plain += String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        self.init(base64Encoded: plain)
    }

    /// Base64url without padding.
    public var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
