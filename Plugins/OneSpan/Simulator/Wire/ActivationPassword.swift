import PushCore

/// The eight characters that a user types to activate a device.
enum ActivationPassword {
    private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

    /// A password: 35 random bits, drawn as the low five bits of seven bytes, and a check character.
    static func make(from random: any RandomSource) -> [UInt8] {
        let indices = random.bytes(7).withBytes { $0.map { Int($0 & 31) } }
        let check = zip(stride(from: 1, through: 13, by: 2), indices).reduce(0) {
            $0 + $1.0 * $1.1
        }
        return (indices + [check % 32]).map { alphabet[$0] }
    }
}
