import CryptoExtras
import Foundation
import PushCore
import PushTesting
import Testing

/// A phone as far as these tests need one.
struct Phone {
    var serial: String
    let key: _RSA.Signing.PrivateKey

    /// Made once: a key takes long.
    private static let keys = (0..<3).compactMap { _ in
        try? _RSA.Signing.PrivateKey(keySize: .bits2048)
    }

    init(serial: String, key index: Int = 0) throws {
        self.serial = serial
        key = try #require(Self.keys.indices.contains(index) ? Self.keys[index] : nil)
    }

    /// SubjectPublicKeyInfo in Base64, on one line.
    var publicKey: String { key.publicKey.derRepresentation.base64EncodedString() }

    func signature(
        over text: String, padding: _RSA.Signing.Padding = .insecurePKCS1v1_5
    ) throws -> String {
        base32(
            try key.signature(for: Data(text.utf8), padding: padding).rawRepresentation)
    }

    /// A time as requests have it.
    static func timestamp(_ date: Date) -> String {
        String(date.formatted(.iso8601).dropLast()) + ".000000Z"
    }
}

/// Base32 in upper case, padded (RFC 4648 section 6), written from the RFC.
func base32(_ bytes: some Sequence<UInt8>) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    var text = ""
    for start in stride(from: 0, to: bits.count, by: 5) {
        let group = (0..<5).map { start + $0 < bits.count ? bits[start + $0] : 0 }
        text.append(alphabet[Int(group.reduce(0) { $0 << 1 | $1 })])
    }
    return text + String(repeating: "=", count: (8 - text.count % 8) % 8)
}

/// The bytes of such a text.
func bytes(base32 text: String) throws -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let values = try text.filter { $0 != "=" }.map { character in
        guard let value = alphabet.firstIndex(of: character) else { throw NotBase32() }
        return value
    }
    let bits = values.flatMap { value in (0..<5).map { UInt8(value >> (4 - $0) & 1) } }
    return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
        bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
    }
}

struct NotBase32: Error {}

extension PlannedRandom {
    /// Whether every choice falls on what comes first.
    func chooseFirst(_ choosesFirst: Bool) {
        always(choosesFirst ? [UInt8](repeating: 0, count: 8) : nil, for: 8)
    }
}
