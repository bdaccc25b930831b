import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is derived from one key that the caller supplied: a sub-key for each use.
struct StoreKeys: Sendable {
    /// What a key is for: no two uses share a sub-key.
    enum Use: String, Sendable {
        /// The records of a ``FileStore``.
        case files = "push-auth file store 1"
        /// The records of a ``SealedStore``.
        case records = "push-auth sealed store 1"
    }

    /// Names the key, and tells nothing else of it: 16 hexadecimal digits.
    let id: String
    private let label: String
    private let values: SymmetricKey
    private let nameTags: SymmetricKey
    private let nameSeals: SymmetricKey
    private let check: SymmetricKey
    /// What the names of a store are concealed with that this key makes; other keys may keep it.
    let nameRoot: Secret

    /// - Throws: `PushError` with the code `invalidArgument` if the key isn't 32 bytes long.
    init(_ key: Secret, for use: Use) throws(PushError) {
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
        nameRoot = derive("names").withUnsafeBytes { Secret(copying: $0) }
    }

    // MARK: Values

    func seal(_ value: Secret, binding context: [UInt8]) throws(PushError) -> [UInt8] {
        try value.withBytes { (bytes) throws(PushError) in
            try Self.seal(bytes, values, binding: context)
        }
    }

    /// `nil` if it isn't what was sealed.
    func open(_ box: some Collection<UInt8>, binding context: [UInt8]) -> Secret? {
        Self.open(box, values, binding: context)
    }

    // MARK: Names

    /// A name that only the key reads, the same each time, so that a file can be found by it.
    ///
    /// The nonce is a MAC of the name, a synthetic IV: equal names give equal texts, no others do.
    func conceal(_ name: String, in scope: String) throws(PushError) -> [UInt8] {
        let nonce = Array(digest(name, in: scope).prefix(12))
        return try Secret(name.utf8).withBytes { (bytes) throws(PushError) in
            try Self.seal(bytes, nameSeals, nonce: nonce, binding: Array(scope.utf8))
        }
    }

    /// `nil` if this key didn't conceal it, or it was changed.
    func reveal(_ box: [UInt8], in scope: String) -> String? {
        guard let plain = Self.open(box, nameSeals, binding: Array(scope.utf8)),
            let name = plain.withBytes({ String(validUTF8: $0) }),
            // What was opened is what was sealed under this nonce: only the nonce could be another.
            digest(name, in: scope).prefix(12) == box.prefix(12)
        else { return nil }
        return name
    }

    /// What stands for a name that is too long for a file's.
    func digest(_ name: String, in scope: String) -> [UInt8] {
        var message = Bytes.prefixed(scope)
        message += name.utf8
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: nameTags))
    }

    // MARK: The header's check value

    func checkValue() throws(PushError) -> [UInt8] {
        try Secret(label.utf8).withBytes { (bytes) throws(PushError) in
            try Self.seal(bytes, check, binding: Array(id.utf8))
        }
    }

    func matches(_ checkValue: [UInt8]) -> Bool {
        Self.open(checkValue, check, binding: Array(id.utf8))?
            .isEqualInConstantTime(to: Secret(label.utf8)) ?? false
    }

    // MARK: Another key, kept under this one

    func wrap(_ key: Secret, binding context: [UInt8]) throws(PushError) -> [UInt8] {
        try key.withBytes { (bytes) throws(PushError) in
            try Self.seal(bytes, check, binding: context)
        }
    }

    /// `nil` if it isn't what was wrapped.
    func unwrap(_ box: [UInt8], binding context: [UInt8]) -> Secret? {
        Self.open(box, check, binding: context)
    }

    // MARK: AES-256-GCM: nonce, ciphertext, tag

    /// Bytes lent as a pointer are read where they are: a copy would be nobody's to clear.
    private static func seal(
        _ bytes: UnsafeRawBufferPointer, _ key: SymmetricKey, nonce: [UInt8]? = nil,
        binding context: [UInt8]
    ) throws(PushError) -> [UInt8] {
        do {
            let nonce = try nonce.map { try AES.GCM.Nonce(data: $0) } ?? AES.GCM.Nonce()
            let box = try AES.GCM.seal(bytes, using: key, nonce: nonce, authenticating: context)
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw PushError(.storage, "A value couldn't be sealed.", underlying: error)
        }
    }

    private static func open(
        _ box: some Collection<UInt8>, _ key: SymmetricKey, binding context: [UInt8]
    ) -> Secret? {
        guard let sealed = try? AES.GCM.SealedBox(combined: Data(box)),
            var plain = try? AES.GCM.open(sealed, using: key, authenticating: context)
        else { return nil }
        return Secret(taking: &plain)
    }
}
