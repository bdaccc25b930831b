import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the text in which the vendor's console hands out an application's three values.
///
/// In Base64: the version 1, the application's key and secret, the number of public keys, and each
/// key after its kind. Lengths and the number take one, two or four bytes; the two highest bits of
/// the first one tell.
struct SDKConfigurationReader {
    /// The application's key, 16 bytes.
    let key: Data

    /// The application's secret, 16 bytes.
    let secret: Secret

    /// The point of the last P-256 master key among the keys; those of other kinds are passed over.
    let masterPublicKey: Data

    private static let version: UInt8 = 1
    private static let masterKeyP256: UInt8 = 1

    /// Reads a text. What follows the last key is passed over.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if it isn't of this form.
    init(_ text: String) throws(PushError) {
        guard let sealed = try? Base64.secret(from: text) else { throw Self.invalid }
        self = try sealed.withBytes { (bytes) throws(PushError) in
            var cursor = Cursor(bytes: bytes)
            guard let read = Self(&cursor) else { throw Self.invalid }
            return read
        }
    }

    private init?(_ cursor: inout Cursor) {
        guard cursor.byte() == Self.version,
            let key = cursor.block(), key.count == 16,
            let secret = cursor.block(), secret.count == 16,
            let count = cursor.number()
        else { return nil }
        var master: UnsafeRawBufferPointer?
        for _ in 0..<count {
            guard let kind = cursor.byte(), let block = cursor.block() else { return nil }
            if kind == Self.masterKeyP256 { master = block }
        }
        guard let master else { return nil }
        self.key = Data(key)
        self.secret = Secret(secret)
        masterPublicKey = Data(master)
    }

    private static let invalid = PushError(
        .invalidArgument, "The text isn't a configuration of the mobile SDK.")

    private struct Cursor {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        mutating func byte() -> UInt8? {
            guard position < bytes.count else { return nil }
            defer { position += 1 }
            return bytes[position]
        }

        mutating func number() -> Int? {
            guard let first = byte() else { return nil }
            var more = 0
            switch first >> 6 {
            case 0b10: more = 1
            case 0b11: more = 3
            default: return Int(first)
            }
            var value = Int(first & 0x3F)
            for _ in 0..<more {
                guard let next = byte() else { return nil }
                value = value << 8 | Int(next)
            }
            return value
        }

        mutating func block() -> UnsafeRawBufferPointer? {
            guard let count = number(), count <= bytes.count - position else { return nil }
            defer { position += count }
            return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        }
    }
}
