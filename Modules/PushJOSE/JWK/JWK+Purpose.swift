package import PushCore

extension JWK {
    /// What a key is about to be used for.
    package struct Purpose: OptionSet, Hashable, Sendable {
        /// The set as bits.
        package let rawValue: UInt8

        /// Creates a set from bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// To verify signatures or authentication codes.
        package static let verify = Purpose(rawValue: 1)
        /// To make signatures or authentication codes.
        package static let sign = Purpose(rawValue: 2)
    }

    /// Members that only a private or a shared key has (RFC 7518 sections 6.2.2, 6.3.2 and 6.4).
    package static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Returns if the key says that it's for this.
    ///
    /// A `use` other than `sig`, `key_ops` without the operation, and another `alg` are refused; a
    /// key that has none of them is for anything. Where only a public key is needed, private
    /// members are refused, too: whoever sent them has given the private key away.
    ///
    /// - Parameters:
    ///   - purpose: All that the key is about to do.
    ///   - keyType: The `kty` it must have.
    ///   - algorithm: The algorithm it's about to be used with.
    /// - Throws: `PushError` with the code `untrusted`.
    package func check(
        _ purpose: Purpose, keyType: String, algorithm: String
    ) throws(PushError) {
        guard self.keyType == keyType else {
            throw PushError(.untrusted, "The JWK's kty isn't \(keyType).")
        }
        guard self.algorithm.map({ $0 == algorithm }) ?? true else {
            throw PushError(.untrusted, "The JWK's alg isn't \(algorithm).")
        }
        guard use.map({ $0 == "sig" }) ?? true else {
            throw PushError(.untrusted, "The JWK's use isn't sig.")
        }
        if let operations {
            guard !purpose.contains(.verify) || operations.contains("verify"),
                !purpose.contains(.sign) || operations.contains("sign")
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
