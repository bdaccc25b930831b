import Crypto
package import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is derived from one key that the caller supplied: a sub-key for each use.
package struct StoreKeys: Sendable {
    /// What a key is for: no two uses share a sub-key.
    package enum Use: String, Sendable {
        /// The records of a ``FileStore``.
        case files = "push-auth file store 1"
        /// Records that are sealed before another store keeps them.
        case records = "push-auth sealed store 1"
        /// What a guard seals of credentials.
        case guards = "push-auth key guard 1"
    }

    /// Names the key, and tells nothing else of it: 16 hexadecimal digits.
    package let id: String
    private let label: String
    private let values: SymmetricKey
    private let nameTags: SymmetricKey
    private let nameSeals: SymmetricKey
    private let check: SymmetricKey
    private let header: SymmetricKey
    /// What the names of a store are concealed with that this key makes; other keys may keep it.
    package let nameRoot: Secret

    /// - Throws: `PushError` with the code `invalidArgument` if the key isn't 32 bytes long.
    package init(_ key: Secret, for use: Use) throws(PushError) {
        guard key.count == 32 else {
            throw PushError(.invalidArgument, "A store's key has 32 bytes, not \(key.count).")
        }
        let root = key.withBytes { SymmetricKey(data: $0) }
        let label = use.rawValue
        self.label = label
        func derive(_ part: String, _ count: Int = 32) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: root, info: Data("\(label) \(part)".utf8),
                outputByteCount: count)
        }
        id = derive("key id", 8).withUnsafeBytes { Hexadecimal.text($0) }
        values = derive("values")
        nameTags = derive("name tags")
        nameSeals = derive("name seals")
        check = derive("check")
        header = derive("header")
        nameRoot = derive("names").withUnsafeBytes { Secret(copying: $0) }
    }

    // MARK: Values

    package func seal(_ value: Secret, binding context: [UInt8]) throws(PushError) -> [UInt8] {
        try value.withBytes { (bytes) throws(PushError) in
            try Self.seal(bytes, values, binding: context)
        }
    }

    /// `nil` if it isn't what was sealed.
    package func open(_ box: some Collection<UInt8>, binding context: [UInt8]) -> Secret? {
        Self.open(box, values, binding: context)
    }

    // MARK: Names

    /// A name that only the key reads, the same each time, so that a file can be found by it.
    ///
    /// The salt is a MAC of the name, a synthetic IV: equal names give equal texts, no others do.
    package func conceal(_ name: String, in scope: String) throws(PushError) -> [UInt8] {
        let salt = Array(digest(name, in: scope).prefix(Self.saltCount))
        return try Secret(name.utf8).withBytes { (bytes) throws(PushError) in
            try Self.seal(bytes, nameSeals, salt: salt, binding: Array(scope.utf8))
        }
    }

    /// `nil` if this key didn't conceal it, or it was changed.
    package func reveal(_ box: [UInt8], in scope: String) -> String? {
        guard let plain = Self.open(box, nameSeals, binding: Array(scope.utf8)),
            let name = plain.withBytes({ String(validUTF8: $0) }),
            // What was opened is what was sealed with this salt: only the salt could be another.
            digest(name, in: scope).prefix(Self.saltCount) == box.prefix(Self.saltCount)
        else { return nil }
        return name
    }

    /// What stands for a name that is too long for a file's.
    func digest(_ name: String, in scope: String) -> [UInt8] {
        var message = Bytes.prefixed(scope)
        message += name.utf8
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: nameTags))
    }

    // MARK: A header

    /// What shows that a header names this key, among the identifiers of all its keys in their order.
    func checkValue(among keys: [String]) throws(PushError) -> [UInt8] {
        try Secret(label.utf8).withBytes { (bytes) throws(PushError) in
            try Self.seal(bytes, check, binding: Self.context(keys))
        }
    }

    func matches(_ checkValue: [UInt8], among keys: [String]) -> Bool {
        Self.open(checkValue, check, binding: Self.context(keys))?
            .isEqualInConstantTime(to: Secret(label.utf8)) ?? false
    }

    private static func context(_ keys: [String]) -> [UInt8] {
        Array(keys.joined(separator: " ").utf8)
    }

    /// The MAC of a header, which nobody makes without the key.
    package func vouch(for header: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: header, using: self.header))
    }

    package func vouches(_ mac: [UInt8], for header: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: header, using: self.header)
    }

    // MARK: Another key, kept under this one

    package func wrap(_ key: Secret, binding context: [UInt8]) throws(PushError) -> [UInt8] {
        try key.withBytes { (bytes) throws(PushError) in
            try Self.seal(bytes, check, binding: context)
        }
    }

    /// `nil` if it isn't what was wrapped.
    package func unwrap(_ box: [UInt8], binding context: [UInt8]) -> Secret? {
        Self.open(box, check, binding: context)
    }

    // MARK: Salt, ciphertext, tag

    private static let saltCount = 24
    private static let tagCount = 16

    /// How many bytes more what is sealed has.
    package static let overhead = saltCount + tagCount

    /// Seals with AES-256-GCM under a key that nothing else is sealed with: the MAC of the salt.
    ///
    /// A nonce of 12 random bytes under one key would repeat sooner or later: after 2^32 of them the
    /// chance is higher than NIST allows, and a busy store makes as many in some weeks. The salt has 24.
    ///
    /// Bytes lent as a pointer are read where they are: a copy would be nobody's to clear.
    private static func seal(
        _ bytes: UnsafeRawBufferPointer, _ key: SymmetricKey, salt: [UInt8]? = nil,
        binding context: [UInt8]
    ) throws(PushError) -> [UInt8] {
        let salt = salt ?? SystemRandom().bytes(saltCount).withBytes { Array($0) }
        do {
            let box = try AES.GCM.seal(
                bytes, using: once(key, salt), nonce: nonce(), authenticating: context)
            var sealed: [UInt8] = []
            sealed.reserveCapacity(bytes.count + overhead)
            sealed += salt
            sealed += box.ciphertext
            sealed += box.tag
            return sealed
        } catch {
            throw PushError(.storage, "A value couldn't be sealed.", underlying: error)
        }
    }

    private static func open(
        _ box: some Collection<UInt8>, _ key: SymmetricKey, binding context: [UInt8]
    ) -> Secret? {
        guard box.count >= overhead, let nonce = try? nonce(),
            let sealed = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: Data(box.dropFirst(saltCount).dropLast(tagCount)),
                tag: Data(box.suffix(tagCount))),
            var plain = try? AES.GCM.open(
                sealed, using: once(key, Array(box.prefix(saltCount))), authenticating: context)
        else { return nil }
        return Secret(taking: &plain)
    }

    private static func once(_ key: SymmetricKey, _ salt: [UInt8]) -> SymmetricKey {
        SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: salt, using: key))
    }

    private static func nonce() throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12))
    }
}
