import Crypto
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A JSON Web Key (RFC 7517) of any type.
///
/// Make a key of a concrete type from it, such as an ``ES256PublicKey``; for a type that isn't
/// here, call ``check(_:keyType:algorithm:)`` first, then read the members. It may hold a private
/// key, so it prints and dumps as `<jwk>`; ``members`` doesn't.
public struct JWK: Sendable {
    /// All members, in the order they were written.
    public let members: JSON.Object

    /// The family of algorithms, `kty`: `EC`, `RSA`, `oct` or another.
    public let keyType: String

    /// The name of the key, `kid`.
    public let keyID: String?

    /// The one algorithm it's for, `alg`.
    public let algorithm: String?

    /// What it's for, `use`.
    public let use: String?

    /// What it may do, `key_ops`.
    public let operations: [String]?

    /// Reads a key's members; those of its type are checked when they are used.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    public init(_ members: JSON.Object) throws(PushError) {
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
    public init(parsing data: Data) throws(PushError) {
        guard let members = try JSON(parsing: data).object else {
            throw PushError(.malformed, "The JWK isn't a JSON object.")
        }
        try self.init(members)
    }

    private static func operations(_ value: JSON?) throws(PushError) -> [String]? {
        guard let value else { return nil }
        let operations = value.array?.compactMap(\.string)
        guard let operations, operations.count == value.array?.count,
            Set(operations.map { Array($0.utf8) }).count == operations.count
        else { throw PushError(.malformed, "The JWK's key_ops isn't a list of unique strings.") }
        return operations
    }
}

extension JWK {
    /// Decodes a member from strict base64url, such as an RSA key's `n`.
    ///
    /// - Throws: `PushError` with the code `malformed` if it's missing, empty or not base64url.
    public func bytes(_ name: String) throws(PushError) -> Data {
        try Base64.data(from: try encoded(name), as: .url)
    }

    /// Decodes a private member from strict base64url.
    ///
    /// - Throws: `PushError` with the code `malformed` if it's missing, empty or not base64url.
    public func secret(_ name: String) throws(PushError) -> Secret {
        try Base64.secret(from: try encoded(name), as: .url)
    }

    /// The coordinates of an elliptic curve's key, one after the other (RFC 7518 section 6.2.1).
    ///
    /// - Throws: `PushError` with the code `untrusted` if it's of another curve, `malformed` if a
    ///   coordinate hasn't the curve's length.
    func point(of curve: String, byteCount: Int) throws(PushError) -> Data {
        guard try members.text("crv")?.hasSameBytes(as: curve) == true else {
            throw PushError(.untrusted, "The JWK's crv isn't \(curve).")
        }
        let (x, y) = (try bytes("x"), try bytes("y"))
        guard x.count == byteCount, y.count == byteCount else {
            throw PushError(.malformed, "The JWK isn't a point of \(curve).")
        }
        return x + y
    }

    private func encoded(_ name: String) throws(PushError) -> String {
        guard let text = try members.text(name), !text.isEmpty else {
            throw PushError(.malformed, "The JWK has no \(name).")
        }
        return text
    }
}

extension JWK {
    /// What a key is about to be used for.
    public struct Purpose: OptionSet, Hashable, Sendable {
        /// The set as bits.
        public let rawValue: UInt8

        /// Creates a set from bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// To verify signatures or authentication codes.
        public static let verify = Purpose(rawValue: 1)
        /// To make signatures or authentication codes.
        public static let sign = Purpose(rawValue: 2)
    }

    /// Members that only a private or a shared key has (RFC 7518 sections 6.2.2, 6.3.2 and 6.4).
    package static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Returns if the key says that it's for this.
    ///
    /// A `use` other than `sig`, `key_ops` without the operation, and another `alg` are refused; a
    /// key that has none of them is for anything. Where only a public key is needed, private
    /// members are refused, too: their sender has given the private key away.
    ///
    /// - Parameters:
    ///   - purpose: All that the key is about to do.
    ///   - keyType: The `kty` it must have.
    ///   - algorithm: The algorithm it's about to be used with.
    /// - Throws: `PushError` with the code `untrusted`.
    public func check(
        _ purpose: Purpose, keyType: String, algorithm: String
    ) throws(PushError) {
        guard self.keyType.hasSameBytes(as: keyType) else {
            throw PushError(.untrusted, "The JWK's kty isn't \(keyType).")
        }
        guard self.algorithm?.hasSameBytes(as: algorithm) ?? true else {
            throw PushError(.untrusted, "The JWK's alg isn't \(algorithm).")
        }
        guard use?.hasSameBytes(as: "sig") ?? true else {
            throw PushError(.untrusted, "The JWK's use isn't sig.")
        }
        if let operations {
            func allows(_ operation: String) -> Bool {
                operations.contains { $0.hasSameBytes(as: operation) }
            }
            guard !purpose.contains(.verify) || allows("verify"),
                !purpose.contains(.sign) || allows("sign")
            else { throw PushError(.untrusted, "The JWK's key_ops don't allow it.") }
        }
        if keyType != "oct", !purpose.contains(.sign) { try refusePrivateMembers() }
    }

    private func refusePrivateMembers() throws(PushError) {
        for name in Self.privateMembers where members[name] != nil {
            throw PushError(.untrusted, "The JWK of a public key has the private member \(name).")
        }
    }
}

extension JWK {
    /// The name that follows from the key itself (RFC 7638): SHA-256, base64url.
    ///
    /// Of a private key it is the public half's; of a shared key (`oct`) it lets guesses of a weak
    /// key be tested.
    ///
    /// - Throws: `PushError` with the code `malformed` if a member is missing or not canonical,
    ///   `unsupported` if `kty` isn't `EC`, `RSA` or `oct`.
    public func thumbprint() throws(PushError) -> String {
        var hashed: [(String, JSON)] = []
        for name in try thumbprintMembers() {
            // Decoding checks that no other text stands for the same key.
            if name != "kty", name != "crv" { _ = try bytes(name) }
            guard let text = try members.text(name) else {
                throw PushError(.malformed, "The JWK has no \(name).")
            }
            hashed.append((name, .string(text)))
        }
        let digest = SHA256.hash(data: JSON.object(JSON.Object(hashed)).utf8)
        return Base64.encode(digest, as: .url)
    }

    /// The required members of the key's type, in lexicographic order (RFC 7638 section 3.2).
    private func thumbprintMembers() throws(PushError) -> [String] {
        switch keyType {
        case "EC": ["crv", "kty", "x", "y"]
        case "RSA": ["e", "kty", "n"]
        case "oct": ["k", "kty"]
        default: throw PushError(.unsupported, "No thumbprint is defined here for this kty.")
        }
    }
}

extension JWK: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<jwk>`.
    public var description: String { "<jwk>" }

    /// Always `<jwk>`.
    public var debugDescription: String { "<jwk>" }

    /// A mirror without children, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
