public import PushCore
import PushJOSE

extension XignInSimulator {
    /// What the manager invents a name for.
    @nonexhaustive
    public enum Identifier: String, Hashable, Sendable, CaseIterable {
        /// A personalized device.
        case activation = "act"
        /// A process.
        case process = "prc"
        /// A push message, `jti`.
        case message = "msg"
        /// What initialization gives a device to start with.
        case nonce = "n"
        /// What an assertion must name.
        case challenge = "chl"
        /// A login session of the relying party.
        case session = "ses"

        /// A name that nobody can guess: the kind, and 128 random bits.
        public func made(from random: any RandomSource) -> String {
            rawValue + "-" + random.bytes(16).withBytes { Base64.encode($0, as: .url) }
        }

        /// Whether a text can be an identifier: 1 to 128 of `A–Z a–z 0–9 . _ -`.
        static func isWellFormed(_ text: String) -> Bool {
            (1...128).contains(text.utf8.count)
                && text.utf8.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
                    default: false
                    }
                }
        }
    }
}
