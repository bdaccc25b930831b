public import Foundation

extension Data {
    /// Reads base64url without padding (RFC 4648, section 5).
    ///
    /// - Returns: `nil` for anything else, padding included.
    public init?(base64URL text: some StringProtocol) {
        guard text.utf8.allSatisfy({ !"+/=".utf8.contains($0) }) else { return nil }
        var plain = Data(text.utf8.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 })
        plain += Data(repeating: 0x3D, count: (4 - plain.count % 4) % 4)
        self.init(base64Encoded: plain)
    }

    /// Base64url without padding.
    public var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
