import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The provider's half of an enrollment's record.
struct ForgeRockCredential: ProviderCredential {
    /// What pushes need.
    private struct Push: Sendable {
        let secret: Secret
        let registration: String
        let authentication: String
    }

    /// `nil` if codes alone were enrolled.
    private let push: Push?

    /// What one-time codes are made with; `nil` if pushes alone were enrolled.
    private(set) var codes: OneTimeCodeParameters?

    /// The newest load-balancer cookie: of the enrollment code, then of each push.
    private(set) var cookie: String?

    /// AM's user name, without which AM takes no new device token.
    private(set) var user: String?

    /// When AM made the newest push, as AM signed it, in milliseconds since 1970.
    private var newest: Double?

    /// The message identifiers that came with the newest challenges.
    private(set) var seen = ChallengeMessageIDs()

    let policies: JSON.Object

    /// AM's identifier of the push device profile; `nil` if it isn't known.
    private let resourceID: String?

    /// The policy for which the vendor's SDK had locked the account; empty for one without a name.
    let lock: String?

    init(_ uri: EnrollmentURI) {
        push = Push(
            secret: uri.sharedSecret, registration: uri.registrationEndpoint.text,
            authentication: uri.authenticationEndpoint.text)
        codes = uri.oneTimeCode
        cookie = uri.cookie
        user = uri.user
        policies = uri.policies
        resourceID = uri.profileID
        lock = nil
    }

    init(_ uri: OneTimeCodeURI) {
        push = nil
        codes = uri.parameters
        user = uri.user
        policies = [:]
        resourceID = nil
        lock = nil
    }

    init(_ mechanism: StoredMechanism) {
        switch mechanism.content {
        case .push(let stored):
            push = Push(
                secret: stored.secret, registration: stored.registration.text,
                authentication: stored.authentication.text)
            cookie = stored.cookie
            resourceID = mechanism.resourceID
        case .codes(let stored):
            push = nil
            codes = stored
            resourceID = nil
        }
        user = mechanism.user
        policies = mechanism.holder?.policies ?? [:]
        lock = mechanism.holder?.lock
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        var secrets = record.secrets[...]
        if let registration = record.fields["r"]?.string {
            guard let secret = secrets.popFirst(),
                let authentication = record.fields["a"]?.string
            else { throw Self.damaged }
            push = Push(
                secret: secret, registration: registration, authentication: authentication)
        } else {
            push = nil
        }
        if let json = record.fields["codes"] {
            guard let secret = secrets.popFirst() else { throw Self.damaged }
            codes = try OneTimeCodeParameters(json, secret: secret)
        }
        guard push != nil || codes != nil else { throw Self.damaged }
        cookie = record.fields["l"]?.string
        user = record.fields["d"]?.string
        newest = record.fields["newest"]?.double
        seen = ChallengeMessageIDs(json: record.fields["seen"])
        policies = record.fields["policies"]?.object ?? [:]
        resourceID = record.fields["pid"]?.string
        lock = record.fields["lock"]?.string
    }

    private static let damaged = PushError(.malformed, "The credential is damaged.")

    var sealed: Secret {
        var fields: JSON.Object = [:]
        var secrets: [Secret] = []
        if let push {
            fields["r"] = .string(push.registration)
            fields["a"] = .string(push.authentication)
            secrets.append(push.secret)
        }
        if let codes {
            fields["codes"] = codes.json
            secrets.append(codes.secret)
        }
        fields["l"] = cookie.map(JSON.string)
        fields["d"] = user.map(JSON.string)
        fields["newest"] = newest.map { JSON(milliseconds: $0) }
        fields["seen"] = seen.json
        if !policies.isEmpty { fields["policies"] = .object(policies) }
        fields["pid"] = resourceID.map(JSON.string)
        fields["lock"] = lock.map(JSON.string)
        return Secret.Record(fields: fields, secrets: secrets).sealed
    }

    /// The secret that AM and this device share.
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if no push can be for this
    ///   enrollment.
    var sharedSecret: Secret {
        get throws(PushError) { try existingPush.secret }
    }

    /// Whether pushes can be for this enrollment.
    var takesPushes: Bool { push != nil }

    private var existingPush: Push {
        get throws(PushError) {
            guard let push else {
                throw PushError(
                    .unknownEnrollment, "The enrollment makes one-time codes, and takes no pushes.")
            }
            return push
        }
    }

    /// What one-time codes are made with.
    ///
    /// - Throws: `PushError` with the code `unsupported` if there are none, `locked` if their secret
    ///   is behind a locked guard.
    var existingCodes: OneTimeCodeParameters {
        get throws(PushError) {
            guard let codes else {
                throw PushError(.unsupported, "The enrollment has no one-time codes.")
            }
            guard codes.secret.count > 0 else { throw .locked }
            return codes
        }
    }

    /// Takes the counter of the next code: no other code has it.
    ///
    /// - Throws: `PushError` with the code `unsupported` if there is none after it: another record
    ///   would be damaged.
    mutating func takeCounter() throws(PushError) -> Int64 {
        guard let codes, case .hotp(let counter) = codes.kind else { throw Self.damaged }
        guard counter < OneTimeCodeParameters.lastCounter - 1 else {
            throw PushError(.unsupported, "The codes' counter has come to its end.")
        }
        self.codes = try codes.counted { _ in counter + 1 }
        return counter
    }

    /// Whether both are of one mechanism: they have the same secrets for the same purpose, as far as
    /// no locked guard has them.
    func isOfSameMechanism(as other: ForgeRockCredential) -> Bool {
        func isSame(_ one: Secret?, _ other: Secret?) -> Bool {
            guard let one, let other else { return one == nil && other == nil }
            return one.isEqualInConstantTime(to: other)
        }
        let isLocked = codes?.secret.count == 0 || other.codes?.secret.count == 0
        return isSame(push?.secret, other.push?.secret)
            && (isLocked || isSame(codes?.secret, other.codes?.secret))
            && codes?.isCounted == other.codes?.isCounted
    }

    /// Takes what a verified push tells of the enrollment: AM's user name, the newest load-balancer
    /// cookie, and the identifier to answer it by.
    ///
    /// A push that was seen before tells nothing, and neither does an older one of the cookie: a
    /// push that is played back changes nothing.
    ///
    /// - Parameters:
    ///   - claims: What the push says.
    ///   - messageID: The message identifier beside it.
    ///   - challenge: The challenge's name.
    ///   - now: This device's clock.
    /// - Returns: Whether anything changed.
    mutating func learn(
        from claims: PushClaims, _ messageID: String, of challenge: String, now: Date
    ) -> Bool {
        let now = now.timeIntervalSince1970 * 1000
        let arrived = claims.issued.timeIntervalSince1970 * 1000
        var isNews = seen.note(
            messageID, of: challenge, at: claims.signedTime ?? arrived,
            isSigned: claims.signedTime != nil, now: now)
        if user == nil, let name = claims.user {
            user = name
            isNews = true
        }
        // Only where AM signs the time is there a call that needs the cookie.
        if let time = claims.signedTime, isNewer(time, now: now) {
            newest = time
            cookie = claims.cookie ?? cookie
            isNews = true
        }
        return isNews
    }

    /// Whether AM made a push after the newest one. One from a future that AM's clock once showed
    /// doesn't count, as nothing would ever be newer.
    private func isNewer(_ time: Double, now: Double) -> Bool {
        guard let newest else { return true }
        return time > newest || ChallengeMessageIDs.isFarAhead(newest, of: time, now: now)
    }

    /// Where to send answers. Checked again only here, where it's used: most pushes need it later.
    var authenticationEndpoint: Endpoint {
        get throws(PushError) { try Endpoint(try existingPush.authentication) }
    }

    // MARK: Moving

    /// What leaves a device: all but the message identifiers of pushes that are this device's.
    var portable: ForgeRockCredential {
        var portable = self
        portable.seen = ChallengeMessageIDs()
        return portable
    }

    /// Takes what another record of the same mechanism knows better: no counter comes twice.
    mutating func catchUp(with other: ForgeRockCredential) throws(PushError) {
        guard case .hotp(let passed)? = other.codes?.kind else { return }
        codes = try codes?.counted { max($0, passed) }
    }

    /// Where the mechanism was registered.
    var registrationEndpoint: Endpoint {
        get throws(PushError) { try Endpoint(try existingPush.registration) }
    }

    /// Where to tell a new device token: the registration endpoint with its action replaced, and
    /// nothing else changed.
    var refreshEndpoint: Endpoint? {
        guard let push, case let (place, query?) = push.registration.cut(at: "?") else {
            return nil
        }
        var items = query.parts(at: "&")
        guard let action = items.firstIndex(of: "_action=register") else { return nil }
        items[action] = "_action=refresh"
        return try? Endpoint("\(place)?\(items.joined(separator: "&"))")
    }
}

extension ForgeRockCredential: GuardedCredential {
    /// The codes' secret alone: with the other one pushes are verified, too.
    var answerSecrets: [Secret] {
        get { [codes?.secret].compactMap(\.self).filter { $0.count > 0 } }
        set { codes?.secret = newValue.first ?? Secret([]) }
    }
}
