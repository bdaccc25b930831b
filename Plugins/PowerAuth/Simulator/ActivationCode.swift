import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The text that a user scans or types.
enum ActivationCode {
    /// The code of ten bytes: them and their checksum in Base32, in four groups.
    static func text(of bytes: Data) -> String {
        let checked = bytes + Data(bigEndian: checksum(bytes))
        let text = Array(Base32.encode(checked).utf8.prefix(20))
        return stride(from: 0, to: text.count, by: 5)
            .map { String(decoding: text[$0..<min($0 + 5, text.count)], as: UTF8.self) }
            .joined(separator: "-")
    }

    /// CRC-16/ARC.
    static func checksum(_ bytes: Data) -> UInt16 {
        bytes.reduce(UInt16(0)) { value, byte in
            (0..<8).reduce(value ^ UInt16(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xA001 : value >> 1
            }
        }
    }
}
