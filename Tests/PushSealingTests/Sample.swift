import PushCore
import PushPlatform

/// Stores' keys: 32 bytes in a row, and others by a number.
enum Sample {
    static let bytes = Array<UInt8>(0..<32)

    static func key(_ number: UInt8) -> KeySource {
        KeySource { Secret(bytes.map { $0 ^ number }) }
    }
}
