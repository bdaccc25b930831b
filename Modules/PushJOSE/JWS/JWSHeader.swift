public import PushCore

/// The header of a JWS (RFC 7515 section 4), without anything that would let it choose its own key
/// or change how it is read.
public struct JWSHeader: Hashable, Sendable {
    /// The algorithm it claims, `alg`: at least one character, and not `none` in any case.
    public let algorithm: String

    /// Which key it claims to be signed with, `kid`.
    public let keyID: String?

    /// What kind of object it claims to be, `typ`.
    ///
    /// Compare it where one key signs several kinds (RFC 8725 section 3.11).
    public let type: String?

    /// All members, these included, in the order they were written.
    public let parameters: JSON.Object

    /// Members that are refused wherever they appear, whatever their value.
    ///
    /// `jku`, `jwk`, `x5u` and `x5c` carry or locate a key of the sender's choice (RFC 8725
    /// sections 3.1 and 3.10). RFC 7515 allows to ignore them; here they are refused, as nobody
    /// honest who knows the enrolled key sends them; only a ``VerifiedDPoPProof`` has a `jwk`. `crit`
    /// and `b64` (RFC 7797) change how the rest is to be understood, and no extension is understood
    /// here.
    public static let refusedMembers = ["crit", "b64", "jku", "jwk", "x5u", "x5c"]

    /// Checks the members of a header.
    ///
    /// - Throws: `PushError` with the code `malformed` if `alg` is missing or a member has the
    ///   wrong type, `untrusted` if `alg` is `none` or a member is one of ``refusedMembers``.
    public init(_ parameters: JSON.Object) throws(PushError) {
        try self.init(parameters, carryingKey: false)
    }

    /// Checks the members of a header, which has a `jwk` if it is that of a DPoP proof.
    init(_ parameters: JSON.Object, carryingKey: Bool) throws(PushError) {
        guard let algorithm = try parameters.text("alg"), !algorithm.isEmpty else {
            throw PushError(.malformed, "The JWS header has no alg.")
        }
        keyID = try parameters.text("kid")
        type = try parameters.text("typ")
        self.algorithm = algorithm
        self.parameters = parameters
        // No other text than one of four bytes becomes this one.
        guard algorithm.utf8.count != 4 || algorithm.lowercased() != "none" else {
            throw PushError(.untrusted, "The JWS is unsecured: its alg is none.")
        }
        // Each name stands there once: with these three alone there is no other.
        let known = 1 + (keyID == nil ? 0 : 1) + (type == nil ? 0 : 1)
        guard parameters.count > known else { return }
        for name in Self.refusedMembers
        where parameters[name] != nil && !(carryingKey && name == "jwk") {
            throw PushError(.untrusted, "The JWS header has the refused member \(name).")
        }
    }

    /// Reads a header from its JSON text, and checks its members.
    init(
        parsing text: [UInt8], _ limits: JSON.Limits, carryingKey: Bool = false
    ) throws(PushError) {
        let json = text.withUnsafeBytes { bytes in
            Result { () throws(PushError) in try JSON(parsing: bytes, limits: limits) }
        }
        guard let parameters = try json.get().object else {
            throw PushError(.malformed, "The JWS header isn't a JSON object.")
        }
        try self.init(parameters, carryingKey: carryingKey)
    }

    /// Checks that the claimed algorithm is exactly the key's.
    func requireAlgorithm(_ expected: String) throws(PushError) {
        // By bytes: string equality would take canonically equivalent characters for each other.
        guard algorithm.hasSameBytes(as: expected) else {
            throw PushError(.untrusted, "The JWS header's alg isn't the key's, \(expected).")
        }
    }
}

extension JSON.Object {
    /// A member that must be a string if it is there.
    func text(_ name: String) throws(PushError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else {
            throw PushError(.malformed, "The member \(name) isn't a string.")
        }
        return text
    }
}

/// The headers that most servers write, as they stand in a token: their bytes need no reading again.
///
/// Each was read and checked as any other, once, and counts for a header of exactly its bytes.
enum UsualHeaders {
    private static let all: [(text: [UInt8], header: JWSHeader)] = [
        #"{"typ":"JWT","alg":"HS256"}"#, #"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"HS256"}"#,
        #"{ "typ": "JWT", "alg": "HS256" }"#,
        #"{"typ":"JWT","alg":"ES256"}"#, #"{"alg":"ES256","typ":"JWT"}"#, #"{"alg":"ES256"}"#,
    ].compactMap { json in
        guard let header = try? JWSHeader(parsing: Array(json.utf8), JSON.Limits()) else {
            return nil
        }
        return (Array(Base64.encode(Array(json.utf8), as: .url).utf8), header)
    }

    /// The header that a token's first part stands for, if it is one of these.
    static func header(in text: UnsafeRawBufferPointer, _ limits: JSON.Limits) -> JWSHeader? {
        guard limits.depth > 0 else { return nil }
        return all.first { $0.text.withUnsafeBytes { $0.hasSameBytes(as: text) } }?.header
    }
}
