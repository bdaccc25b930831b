import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A compact JWS (RFC 7515, section 7.1) that a device sent, not yet verified.
struct SignedToken {
    let header: JSON.Object
    let claims: JSON.Object
    let text: String
    private let signed: Data
    private let signature: Data

    /// The longest that the server reads, in characters.
    static let longest = 16_384

    /// Reads a token without judging it; `nil` if it isn't one.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = try? Base64.data(from: parts[2], as: .url)
        else { return nil }
        self.header = header
        self.claims = claims
        self.text = text
        self.signature = signature
        signed = Data("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSON.Object? {
        (try? Base64.data(from: part, as: .url)).flatMap { try? JSON(parsing: $0).object }
    }

    /// The algorithm in the header; `nil` for one that the server doesn't take.
    var algorithm: KeycloakSimulator.Algorithm? {
        header["alg"]?.string.flatMap(KeycloakSimulator.Algorithm.init(rawValue:))
    }

    func isSigned(by key: PublicKey) -> Bool {
        algorithm.map { key.verifies(signature, over: signed, as: $0) } ?? false
    }

    /// Whether the second that `exp` names isn't over, or it isn't there.
    func isCurrent(at second: Int64) -> Bool {
        claims["exp"]?.integer.map { second <= $0 } ?? true
    }

    /// Checks that a key may be used with the token's algorithm, and that it signed the token.
    ///
    /// - Throws: `Refusal` with the status 400, or 403 with a text.
    func check(by key: DeviceKey, orElse text: String) throws(Refusal) {
        if let algorithm { try key.check(algorithm) }
        guard isSigned(by: key.key) else { throw Refusal(403, text) }
    }

    /// A text that must be there, not longer than so many characters and without control
    /// characters.
    ///
    /// - Throws: `Refusal` with the status 400.
    func text(_ name: String, longest: Int) throws(Refusal) -> String {
        try claims.text(name, longest: longest)
    }
}

extension JSON.Object {
    /// A text that must be there, as ``SignedToken/text(_:longest:)``.
    func text(_ name: String, longest: Int) throws(Refusal) -> String {
        guard let text = self[name]?.string, !text.isEmpty else { throw .missing(name) }
        guard text.unicodeScalars.count <= longest else { throw .tooLong(name) }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw Refusal(400, "Invalid characters in field: \(name)")
        }
        return text
    }

    /// A text that may be missing, empty or null.
    func optionalText(_ name: String, longest: Int) throws(Refusal) -> String? {
        switch self[name] {
        case nil, .null?, .string("")?: nil
        default: try text(name, longest: longest)
        }
    }

    /// A UUID that must be there.
    func uuid(_ name: String) throws(Refusal) -> String {
        let text = try text(name, longest: 36)
        guard UUID(uuidString: text) != nil else { throw .notUUID(name) }
        return text.lowercased()
    }
}
