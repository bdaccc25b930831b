import PushCore

/// What a result or an event is about, so that a script finds all that concerns one account.
struct Subject: Sendable {
    private(set) var enrollment: Enrollment.ID?
    private var provider: ProviderID?
    private var challenge: Challenge.ID?
    private var issuer: String?
    private var user: String?

    /// Nothing in particular.
    init() {}

    init(_ provider: ProviderID?) {
        self.provider = provider
    }

    init(_ enrollment: Enrollment.ID, _ challenge: Challenge.ID? = nil) {
        self.enrollment = enrollment
        self.challenge = challenge
        provider = enrollment.provider
    }

    init(_ challenge: Challenge.ID) {
        self.init(challenge.enrollment, challenge)
    }

    init(_ enrollment: Enrollment, _ challenge: Challenge.ID? = nil) {
        self.init(enrollment.id, challenge)
        name(by: enrollment)
    }

    /// What an invitation would join; the names are the invitation's.
    init(_ offer: Invitation.Offer) {
        provider = offer.provider
        issuer = offer.issuer
        user = offer.account
    }

    /// What all that came of one push has in common.
    init(_ receptions: [Reception]) {
        self.init()
        let challenges = Set(receptions.map(\.challenge))
        guard Set(receptions.map(\.enrollment)).count == 1,
            let enrollment = receptions.first?.enrollment
        else { return }
        self.enrollment = enrollment
        provider = enrollment.provider
        challenge = challenges.count == 1 ? receptions.first?.challenge : nil
    }

    /// Adds whose it is.
    mutating func name(by enrollment: Enrollment) {
        issuer = enrollment.issuer
        user = enrollment.account
    }

    /// For scripts: what isn't known is left out.
    var members: JSON.Object {
        var members = JSON.Object()
        members["provider"] = provider.map { .string($0.rawValue) }
        members["enrollment"] = enrollment.map { .string(Abbreviation($0).text) }
        members["issuer"] = issuer.map(JSON.string)
        members["user"] = user.map(JSON.string)
        members["challenge"] = challenge.map { .string(Abbreviation($0).text) }
        return members
    }
}

extension Reception {
    /// Whose it is.
    var enrollment: Enrollment.ID? {
        switch kind {
        case .enrollment(let enrollment): enrollment.id
        case .inbox(let id, _): id
        case .notice, .answered, .over, .incompatible: challenge?.enrollment
        @unknown default: challenge?.enrollment
        }
    }
}

extension Session {
    /// What a result is about, with the names that its enrollment has.
    func subject(_ id: Enrollment.ID, _ challenge: Challenge.ID? = nil) async -> Subject {
        var subject = Subject(id, challenge)
        if let enrollment = try? await authenticator.enrollment(id) {
            subject.name(by: enrollment)
        }
        return subject
    }

    func subject(_ id: Challenge.ID) async -> Subject { await subject(id.enrollment, id) }
}
