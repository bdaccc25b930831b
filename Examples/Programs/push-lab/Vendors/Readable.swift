import Foundation

/// What anybody can read of a signed token.
enum Readable {
    /// The text of one part.
    static func text(_ part: String) -> String {
        let standard = part.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return String(decoding: Data(base64Encoded: standard + padding) ?? Data(), as: UTF8.self)
    }
}
