import Foundation
import LocalServer
import PushCore

/// A signed token as it is sent: a JWS in its compact form (RFC 7515, section 3.1), not verified.
struct CompactToken {
    let header: JSON
    let claims: JSON

    /// What the signature is of.
    let signed: Data

    let signature: Data

    /// - Returns: `nil` for anything but three parts of base64url, the first two JSON objects; and
    ///   where the header has `crit`, as what must be understood isn't (RFC 7515, section 4.1.11).
    init?(_ text: String) {
        let parts = text.parts(at: ".", most: 4)
        guard text.utf8.count <= 8192, parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Data(base64URL: parts[2]), header["crit"] == nil
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Data("\(parts[0]).\(parts[1])".utf8)
    }

    /// A moment that the claims name, in seconds since 1970: a number, which may have a fraction
    /// (`NumericDate`; RFC 7519, section 2).
    ///
    /// If `allowsText` is set, it may be digits as text, too, which that section doesn't allow.
    ///
    /// - Returns: `nil` if it isn't there, or isn't within the next 34,000 years.
    func moment(_ claim: String, allowsText: Bool = false) -> Double? {
        let value = claims[claim]
        var moment = value?.double
        if allowsText, let text = value?.string, text.utf8.count <= 13,
            text.wholeMatch(of: /[0-9]{1,13}/) != nil
        {
            moment = Double(text)
        }
        guard let moment, (0...0x1p40).contains(moment) else { return nil }
        return moment
    }

    private static func object(_ part: Substring) -> JSON? {
        guard let bytes = Data(base64URL: part), let json = try? JSON(parsing: bytes),
            json.object != nil
        else { return nil }
        return json
    }
}
