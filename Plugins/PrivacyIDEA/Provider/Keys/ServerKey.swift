import Crypto
import CryptoExtras
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The server's public key for one token: what it signs challenges with.
struct ServerKey: Sendable {
    /// Its DER (RFC 8017 section A.1.1).
    let pkcs1: Data

    private let key: _RSA.Signing.PublicKey
    private let size: Int

    /// Creates a key from `RSAPublicKey` in DER, and from no other form.
    ///
    /// - Throws: `PushError` with the code `malformed` if it isn't that, of a size that is taken, with
    ///   an odd exponent of 65537 or more.
    init(pkcs1 data: Data) throws(PushError) {
        guard let numbers = RSAPublicNumbers(pkcs1: data), numbers.isUsable,
            let key = try? _RSA.Signing.PublicKey(n: numbers.modulus, e: numbers.exponent)
        else {
            throw PushError(
                .malformed, "Not an RSAPublicKey of \(RSAKeySize.smallest) bits or more.")
        }
        pkcs1 = data
        size = numbers.modulus.count
        self.key = key
    }

    /// Reads the key as the server writes it: Base64 in lines.
    init(lines text: String) throws(PushError) {
        let kept = text.utf8.filter { !" \t\r\n".utf8.contains($0) }
        let base64 = String(decoding: kept, as: UTF8.self)
        guard let data = Data(base64Encoded: base64), data.base64EncodedString() == base64 else {
            throw PushError(.malformed, "The server's key isn't Base64.")
        }
        try self.init(pkcs1: data)
    }

    /// Whether a signature in Base32 is this key's: PKCS#1 v1.5 with SHA-256, of exactly the key's size.
    func verifies(_ signature: String, over message: [UInt8]) -> Bool {
        guard let bytes = try? Base32.data(from: signature, as: .canonical), bytes.count == size
        else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: bytes),
            for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
    }
}

/// Keys that were built to verify challenges: building one costs a good part of a verification.
///
/// It's a cache of public keys, which may be dropped at any moment. Each challenge reads its token's
/// credential again, and a key counts only while the credential has the very bytes that it was built
/// from: no key outlives its record, or its replacement there.
actor ServerKeys {
    private static let most = 64

    private var keys: [Enrollment.ID: ServerKey] = [:]

    /// The key of the bytes that a token's credential has now.
    ///
    /// - Throws: `PushError` with the code `malformed` if they are damaged.
    func key(pkcs1 data: Data, of id: Enrollment.ID) throws(PushError) -> ServerKey {
        if let key = keys[id], key.pkcs1 == data { return key }
        let key = try ServerKey(pkcs1: data)
        if keys.count >= Self.most { keys = [:] }
        keys[id] = key
        return key
    }

    /// Forgets every key; the next challenge builds its own again.
    func dropCaches() { keys = [:] }
}

/// The two numbers of an RSA public key, most significant byte first, without leading zeros.
struct RSAPublicNumbers {
    let modulus: [UInt8]
    let exponent: [UInt8]

    /// Reads `RSAPublicKey` (RFC 8017 section A.1.1) strictly: two positive integers, and nothing else.
    init?(pkcs1 data: Data) {
        var outer = Array(data)[...]
        guard var content = Self.value(tagged: 0x30, from: &outer), outer.isEmpty,
            let modulus = Self.natural(from: &content),
            let exponent = Self.natural(from: &content), content.isEmpty
        else { return nil }
        self.modulus = Array(modulus)
        self.exponent = Array(exponent)
    }

    /// A size that is taken, and an odd exponent from 65537 to one of four bytes.
    var isUsable: Bool {
        guard let first = modulus.first, let last = exponent.last else { return false }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        let value = exponent.prefix(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return RSAKeySize.takes(bits) && last & 1 == 1 && exponent.count <= 4 && value >= 65_537
    }

    /// An integer that isn't negative nor zero, in its shortest form.
    private static func natural(from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let octets = value(tagged: 0x02, from: &bytes), let first = octets.first,
            first < 0x80
        else { return nil }
        guard first == 0 else { return octets }
        let rest = octets.dropFirst()
        guard let second = rest.first, second >= 0x80 else { return nil }
        return rest
    }

    /// The content of a value of definite length in its shortest form (X.690 section 10.1).
    private static func value(
        tagged tag: UInt8, from bytes: inout ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...2).contains(count), bytes.count >= count else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(count)
            guard length >= (count == 1 ? 0x80 : 0x100) else { return nil }
        }
        guard length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
