package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A JSON Web Key (RFC 7517) of any type.
///
/// Make a key of a concrete type from it, such as an ``ES256PublicKey``; for a type that isn't
/// here, call ``check(_:keyType:algorithm:)`` first, then read the members. It may hold a private
/// key, so it prints and dumps as `<jwk>`; ``members`` doesn't.
package struct JWK: Sendable {
    /// All members, in the order they were written.
    package let members: JSON.Object

    /// The family of algorithms, `kty`: `EC`, `RSA`, `oct` or another.
    package let keyType: String

    /// The name of the key, `kid`.
    package let keyID: String?

    /// The one algorithm it's for, `alg`.
    package let algorithm: String?

    /// What it's for, `use`.
    package let use: String?

    /// What it may do, `key_ops`.
    package let operations: [String]?

    /// Reads a key's members; those of its type are checked when they are used.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    package init(_ members: JSON.Object) throws(PushError) {
        guard let keyType = try members.text("kty"), !keyType.isEmpty else {
            throw PushError(.malformed, "The JWK has no kty.")
        }
        self.members = members
        self.keyType = keyType
        keyID = try members.text("kid")
        algorithm = try members.text("alg")
        use = try members.text("use")
        operations = try Self.operations(members["key_ops"])
    }

    /// Reads a key from JSON text.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    package init(parsing data: Data) throws(PushError) {
        guard let members = try JSON(parsing: data).object else {
            throw PushError(.malformed, "The JWK isn't a JSON object.")
        }
        try self.init(members)
    }

    private static func operations(_ value: JSON?) throws(PushError) -> [String]? {
        guard let value else { return nil }
        let operations = value.array?.compactMap(\.string)
        guard let operations, operations.count == value.array?.count,
            Set(operations).count == operations.count
        else { throw PushError(.malformed, "The JWK's key_ops isn't a list of unique strings.") }
        return operations
    }
}

extension JWK {
    /// Decodes a member from strict base64url, such as an RSA key's `n`.
    ///
    /// - Throws: `PushError` with the code `malformed` if it's missing, empty or not base64url.
    package func bytes(_ name: String) throws(PushError) -> Data {
        try Base64.data(from: try encoded(name), as: .url)
    }

    /// Decodes a private member from strict base64url.
    ///
    /// - Throws: `PushError` with the code `malformed` if it's missing, empty or not base64url.
    package func secret(_ name: String) throws(PushError) -> Secret {
        try Base64.secret(from: try encoded(name), as: .url)
    }

    private func encoded(_ name: String) throws(PushError) -> String {
        guard let text = try members.text(name), !text.isEmpty else {
            throw PushError(.malformed, "The JWK has no \(name).")
        }
        return text
    }
}

extension JWK: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<jwk>`.
    package var description: String { "<jwk>" }

    /// Always `<jwk>`.
    package var debugDescription: String { "<jwk>" }

    /// A mirror without children, so that `dump` shows nothing either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
