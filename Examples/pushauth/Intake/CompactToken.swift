import Foundation
import PushCore

/// A signed token as it is sent: a JWS in its compact form (RFC 7515, section 3.1), not verified.
struct CompactToken {
    let header: JSON
    let claims: JSON

    /// What the signature is of.
    let signed: Data

    let signature: Data

    /// - Returns: `nil` for anything but three parts of base64url, the first two JSON objects.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 8192, parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Data(base64URL: parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Data("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSON? {
        guard let bytes = Data(base64URL: part), let json = try? JSON(parsing: bytes),
            json.object != nil
        else { return nil }
        return json
    }
}

extension Data {
    /// Reads base64url without padding (RFC 4648, section 5).
    init?(base64URL text: some StringProtocol) {
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
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
