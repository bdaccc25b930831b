package import Foundation
package import PushCore

/// A compact JWS (RFC 7515 section 7.1) that was found in a message: read, not trusted.
package struct FoundToken {
    /// Its header, strict JSON with `alg`.
    package let header: JSON.Object

    /// Its claims; `nil` if the payload isn't a JSON object.
    package let claims: JSON.Object?

    package let signature: Data

    /// What the signature covers.
    package let signedText: Data

    /// `alg`.
    package var algorithm: String { header["alg"]?.string ?? "" }

    /// Reads a text; `nil` if it isn't a token.
    package init?(_ text: String) {
        let parts = text.parts(at: ".", most: 4)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty,
            let head = Self.bytes(parts[0]), let header = (try? JSON(parsing: head))?.object,
            header["alg"]?.string != nil, let payload = Self.bytes(parts[1]),
            let signature = Self.bytes(parts[2])
        else { return nil }
        self.header = header
        claims = (try? JSON(parsing: payload))?.object
        self.signature = signature
        signedText = Data("\(parts[0]).\(parts[1])".utf8)
    }

    /// Every token of a message, with its place, such as `aps.data`.
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
            guard let token = FoundToken(text) else { return }
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
