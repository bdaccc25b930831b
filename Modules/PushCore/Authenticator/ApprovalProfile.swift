/// A published guideline for approving a login on a phone, as far as the phone can keep to it.
///
/// Set it as ``PushConfiguration/profile``. A challenge that the guideline forbids can then only be denied
/// (``Challenge/Prompt/denyOnly(_:)``), whatever its vendor asks for. Most of each guideline binds the
/// server and the app: `docs/profiles.md` maps each requirement to who must keep it.
@nonexhaustive
public enum ApprovalProfile: String, CaseIterable, Hashable, Sendable {
    /// NIST SP 800-63B-4, for out-of-band authenticators: the user carries a secret of about 20 bits
    /// from one channel to the other, so at least six digits are entered.
    case nist80063b4 = "nist"

    /// CISA's fact sheet on number matching: the user enters the number that the login page shows,
    /// of at least two digits.
    case cisaNumberMatching = "cisa"

    /// Finds a profile by its short name, `nist` or `cisa`, as a configuration has it.
    ///
    /// - Throws: ``PushError`` with the code `invalidArgument` if there is none of this name; the
    ///   reason lists those there are.
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

    /// How many digits the user must enter at least.
    public var minimumDigits: Int {
        switch self {
        case .nist80063b4: 6
        case .cisaNumberMatching: 2
        }
    }

    /// Why a prompt can't be approved under the guideline; `nil` if it can. The text is for developers,
    /// like the one of a prompt that can only be denied, which has its own reason.
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
