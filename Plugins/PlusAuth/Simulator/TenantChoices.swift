import PushCore

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
        /// A sentence, as a proxy in front of the server would write it. The documentation knows no
        /// such form, so a device can't take it for the tenant's.
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

extension PlusAuthSimulator.Configuration {
    /// How the server refuses an answer that comes when nothing is left to answer.
    @nonexhaustive
    public enum Refusal: Int, Hashable, Sendable, CaseIterable {
        /// 401 `unauthorized_user`.
        case unauthorized = 401
        /// 404 `entity_not_found`.
        case notFound = 404
        /// 409 `already_exists`.
        case conflict = 409
    }

    /// How each kind of late answer is refused; which statuses are real is UNCONFIRMED.
    public struct LateAnswers: Hashable, Sendable {
        /// To a context token that has already brought an answer.
        public var used = Refusal.unauthorized

        /// To a login that another device, or a one-time code, has ended.
        public var elsewhere = Refusal.conflict

        /// After the challenge's end.
        public var expired = Refusal.unauthorized

        /// Creates the choices that the documented errors suggest.
        public init() {}
    }
}

extension PlusAuthSimulator.Configuration.SIMBinding {
    /// The claim `settings`; `nil` to leave it out.
    var settings: JSON? {
        switch self {
        case .bound: ["bind_sim": true]
        case .unbound: ["bind_sim": false]
        case .null: ["bind_sim": nil]
        case .absent: [:]
        case .noSettings: nil
        }
    }
}
