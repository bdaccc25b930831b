extension PlusAuthSimulator.Configuration {
    /// Which login page waits for the push.
    @nonexhaustive
    public enum Flow: Hashable, Sendable {
        /// The second factor, `/signin/challenge/push`.
        case multiFactor
        /// The first and perhaps only factor, `/signin/passwordless/push`.
        case passwordless
    }

    /// What `settings.bind_sim` says.
    @nonexhaustive
    public enum SIMBinding: Hashable, Sendable, CaseIterable {
        /// `true`: the account is bound to the SIM card.
        case bound
        /// `false`: it isn't.
        case unbound
        /// `null`.
        case null
        /// `settings` doesn't have it.
        case absent
        /// There is no `settings`.
        case noSettings
    }

    /// What happens if a user enrolls a device whose identifier the user already has.
    @nonexhaustive
    public enum Reenrollment: Hashable, Sendable {
        /// It gets 409, until the old credential is removed.
        case refused
        /// The new credential takes the place of the old one.
        case replaces
        /// The user has both.
        case adds
    }

    /// A path that answers go to.
    @nonexhaustive
    public enum ResolvePath: String, Hashable, Sendable, CaseIterable {
        /// As in the documented diagram and claim.
        case resolve
        /// As in the documented request.
        case resolveChallenge = "resolve-challenge"
    }

    /// The body of an error.
    @nonexhaustive
    public enum ErrorBody: Hashable, Sendable, CaseIterable {
        /// JSON whose `status` is a string, as documented.
        case statusAsText
        /// JSON whose `status` is a number, as the vendor's client library has it.
        case statusAsNumber
        /// A sentence, as a proxy in front of the server would write: none that the documentation
        /// knows, so a device can't take it for the tenant's.
        case plainText
    }
}

extension PlusAuthSimulator.Configuration.Flow {
    var path: String {
        switch self {
        case .multiFactor: "/signin/challenge/push"
        case .passwordless: "/signin/passwordless/push"
        }
    }
}
