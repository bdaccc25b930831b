extension PowerAuthOfflineOperation {
    /// What an offline operation's code says about the approval.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `B`: biometry may take the PIN's place.
        public static let biometryAllowed = Flags(rawValue: 1 << 0)

        /// `X`: the buttons for yes and no change places.
        public static let flipButtons = Flags(rawValue: 1 << 1)

        /// `F`: warn of fraud.
        public static let fraudWarning = Flags(rawValue: 1 << 2)

        /// `C`: it mustn't be approved during a phone call; see ``PowerAuthApproval/isOnCall``.
        public static let blockApprovalOnCall = Flags(rawValue: 1 << 3)

        /// Reads the letters, in any order; others are passed over.
        init(_ text: String) {
            var flags: Flags = []
            for letter in text.unicodeScalars {
                switch letter {
                case "B": flags.insert(.biometryAllowed)
                case "X": flags.insert(.flipButtons)
                case "F": flags.insert(.fraudWarning)
                case "C": flags.insert(.blockApprovalOnCall)
                default: break
                }
            }
            self = flags
        }
    }
}
