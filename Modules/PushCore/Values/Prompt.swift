extension Challenge {
    /// What the user is asked to do.
    @nonexhaustive
    public enum Prompt: Hashable, Sendable {
        /// Approve or deny.
        case approve
        /// Choose the option that the other screen shows, or deny.
        case choose([String])
        /// Enter the digits that the other screen shows, or deny.
        case enter(digits: Int)
        /// Only deny: the question isn't understood well enough to approve it. The text tells
        /// developers why.
        case denyOnly(String)

        /// The prompt; one that can only be denied if an option can't be shown to the user as it
        /// is, or if nothing is to be entered.
        var answerable: Prompt {
            switch self {
            case .choose(let options) where !Self.areShowable(options):
                .denyOnly("Its options can't be shown.")
            case .enter(let digits) where digits < 1:
                .denyOnly("It asks for an entry of no digits.")
            case .approve, .choose, .enter, .denyOnly: self
            }
        }

        private static func areShowable(_ options: [String]) -> Bool {
            // Plain first: only what is short is quickly told from its equivalents.
            !options.isEmpty
                && options.allSatisfy { !$0.isEmpty && DisplayText.isPlainOption($0) }
                && Set(options).count == options.count
        }

        /// Refuses a resolution that isn't an answer to this prompt.
        func check(_ resolution: Resolution) throws(PushError) {
            switch (self, resolution) {
            case (_, .deny), (.approve, .approve): return
            case (.choose(let options), .choose(let option)) where options.contains(option): return
            case (.enter(let digits), .enter(let text))
            where text.utf8.count == digits && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }:
                return
            case (.denyOnly(let why), _):
                throw PushError(.unsupported, "It can only be denied: \(why)")
            case (.choose, .choose):
                throw PushError(.invalidResolution, "The choice isn't one of the options.")
            case (.enter(let digits), .enter):
                throw PushError(.invalidResolution, "The entry is not of \(digits) digits.")
            case (.approve, .choose), (.approve, .enter), (.choose, .approve), (.choose, .enter),
                (.enter, .approve), (.enter, .choose):
                throw PushError(.invalidResolution, "The prompt asks for another kind of answer.")
            }
        }
    }
}
