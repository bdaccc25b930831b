package import Foundation
package import PushCore

/// A compact JWS (RFC 7515 section 7.1) that was found in a message: read, not trusted.
package struct FoundToken {
    /// Its header, strict JSON with `alg`.
    package let header: JSON.Object

    /// Its claims; `nil` if the payload isn't a JSON object.
    package let claims: JSON.Object?

    /// The third part's bytes; empty if it is missing or unreadable.
    package let signature: Data

    /// What is wrong with its form, for people; `nil` if nothing is.
    package let flaw: String?

    /// Whether there are three parts in base64url, empty or not.
    private let isWhole: Bool

    /// What the signature covers.
    package let signedText: Data

    /// `alg`.
    package var algorithm: String { header["alg"]?.string ?? "" }

    /// Reads a text; `nil` if it isn't a token of sound form.
    package init?(_ text: String) {
        self.init(flawed: text)
        if !isWhole { return nil }
    }

    /// Reads a text whose header is a token's, whatever the other parts are.
    package init?(flawed text: String) {
        let parts = text.parts(at: ".", most: 4)
        guard 2...3 ~= parts.count, !parts[0].isEmpty, !parts[1].isEmpty,
            let head = Self.bytes(parts[0]), let header = (try? JSON(parsing: head))?.object,
            header["alg"]?.string != nil
        else { return nil }
        let payload = Self.bytes(parts[1])
        let signature = parts.count == 3 ? Self.bytes(parts[2]) : nil
        self.header = header
        claims = payload.flatMap { try? JSON(parsing: $0) }?.object
        self.signature = signature ?? Data()
        signedText = Data("\(parts[0]).\(parts[1])".utf8)
        isWhole = payload != nil && signature != nil
        flaw =
            if payload == nil {
                "its second part, the claims, isn't base64url"
            } else if parts.count == 2 {
                "it has two parts: the third, the signature, is missing"
            } else if signature == nil {
                "its third part, the signature, isn't base64url"
            } else if parts[2].isEmpty {
                "its third part, the signature, is empty"
            } else { nil }
    }

    /// Every token of a message, sound or not, with its place, such as `aps.data`.
    package static func all(in content: JSON) -> [(place: String, token: FoundToken)] {
        var found: [(String, FoundToken)] = []
        collect(content, at: [], into: &found)
        return found
    }

    private static func collect(
        _ value: JSON, at place: [String], into found: inout [(String, FoundToken)]
    ) {
        switch value {
        case .string(let text):
            guard let token = FoundToken(flawed: text) else { return }
            found.append((place.joined(separator: "."), token))
        case .array(let values):
            for (index, value) in values.enumerated() {
                collect(value, at: place + ["\(index)"], into: &found)
            }
        case .object(let object):
            for (name, value) in object.members { collect(value, at: place + [name], into: &found) }
        default: break
        }
    }

    /// Base64 of either alphabet, padded or not: a lenient vendor's token is to be seen, too.
    package static func bytes(_ text: some StringProtocol) -> Data? {
        var digits = Data(text.utf8.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 })
        while digits.last == 0x3D { digits.removeLast() }
        digits += Data(repeating: 0x3D, count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: digits)
    }
}
