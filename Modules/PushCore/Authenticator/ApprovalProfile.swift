/// A published guideline for approving a login on a phone, as far as a phone can keep it.
///
/// Set it as ``PushConfiguration/profile``. The user can then only deny a challenge that the
/// guideline forbids (``Challenge/Prompt/denyOnly(_:)``). Most requirements bind the server and the
/// app: `docs/profiles.md` says who must keep each.
@nonexhaustive
public enum ApprovalProfile: String, CaseIterable, Hashable, Sendable {
    /// NIST SP 800-63B-4, for out-of-band authenticators: the user carries a secret of at least
    /// six decimal digits from one channel to the other.
    case nist80063b4 = "nist"

    /// CISA's fact sheet on number matching: the user enters the number that the login page shows,
    /// of at least two digits.
    case cisaNumberMatching = "cisa"

    /// Finds a profile by its short name, `nist` or `cisa`, as in a configuration.
    ///
    /// - Throws: ``PushError`` with the code `invalidArgument` if no profile has this name; the
    ///   reason lists the names.
    public init(named name: String) throws(PushError) {
        guard let profile = Self(rawValue: name) else {
            let names = Self.allCases.map { "'\($0.rawValue)'" }.joined(separator: " or ")
            throw PushError(
                .invalidArgument, "The profile is \(names), and not '\(name.prefix(40))'.")
        }
        self = profile
    }

    /// The guideline's name, such as `NIST SP 800-63B-4`.
    public var title: String {
        switch self {
        case .nist80063b4: "NIST SP 800-63B-4"
        case .cisaNumberMatching: "CISA's number matching"
        }
    }

    /// The fewest digits that the user must enter.
    public var minimumDigits: Int {
        switch self {
        case .nist80063b4: 6
        case .cisaNumberMatching: 2
        }
    }

    /// Why the guideline forbids to approve a prompt, for developers; `nil` if it doesn't. A prompt
    /// that can only be denied has a reason of its own.
    public func obstacle(to prompt: Challenge.Prompt) -> String? {
        switch prompt {
        case .enter(let digits) where digits >= minimumDigits: nil
        case .enter(let digits):
            "\(title) asks for at least \(minimumDigits) digits, and this one for \(digits)."
        case .approve: "\(title) doesn't allow a yes without a number."
        case .choose:
            "\(title) asks the user to enter the number, and this one offers it among others."
        case .denyOnly(let why): why
        }
    }
}

extension Challenge {
    /// The same under a profile: what the profile forbids can only be denied.
    func limited(by profile: ApprovalProfile?) -> Challenge {
        if case .denyOnly = prompt { return self }
        guard let why = profile?.obstacle(to: prompt) else { return self }
        return Challenge(self, prompt: .denyOnly(why))
    }
}
