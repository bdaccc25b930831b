import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The provider's half of an enrollment's record.
struct ForgeRockCredential: Sendable {
    let sharedSecret: Secret
    private let registration: String
    private let authentication: String

    /// The newest load-balancer cookie: of the enrollment code, then of each push.
    private(set) var cookie: String?

    /// AM's user name, without which AM takes no new device token.
    private(set) var user: String?

    /// When AM made the newest push, as AM signed it, in milliseconds since 1970.
    private var newest: Double?

    /// The message identifiers that came with the newest challenges.
    private(set) var seen = ChallengeMessageIDs()

    let policies: JSON.Object

    init(_ uri: EnrollmentURI) {
        sharedSecret = uri.sharedSecret
        registration = uri.registrationEndpoint.text
        authentication = uri.authenticationEndpoint.text
        cookie = uri.cookie
        user = uri.user
        policies = uri.policies
    }

    init(_ sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
        guard let secret = record.secrets.first,
            let registration = record.fields["r"]?.string,
            let authentication = record.fields["a"]?.string
        else { throw PushError(.malformed, "The credential is damaged.") }
        sharedSecret = secret
        self.registration = registration
        self.authentication = authentication
        cookie = record.fields["l"]?.string
        user = record.fields["d"]?.string
        newest = record.fields["newest"]?.double
        seen = ChallengeMessageIDs(json: record.fields["seen"])
        policies = record.fields["policies"]?.object ?? [:]
    }

    var sealed: Secret {
        var fields: JSON.Object = [
            "r": .string(registration), "a": .string(authentication),
        ]
        fields["l"] = cookie.map(JSON.string)
        fields["d"] = user.map(JSON.string)
        fields["newest"] = newest.map { JSON(milliseconds: $0) }
        fields["seen"] = seen.json
        if !policies.isEmpty { fields["policies"] = .object(policies) }
        return SecretRecord(fields: fields, secrets: [sharedSecret]).sealed
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

    /// Whether AM made a push after the newest one. One from a future that AM's clock once showed doesn't
    /// count, as nothing would ever be newer.
    private func isNewer(_ time: Double, now: Double) -> Bool {
        guard let newest else { return true }
        return time > newest || ChallengeMessageIDs.isFarAhead(newest, of: time, now: now)
    }

    /// Where to send answers. Checked again only here, where it's used: most pushes need it later.
    var authenticationEndpoint: Endpoint {
        get throws(PushError) { try Endpoint(authentication) }
    }

    /// Where to tell a new device token: the registration endpoint with its action replaced, and
    /// nothing else changed.
    var refreshEndpoint: Endpoint? {
        let parts = registration.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        var items = parts[1].split(separator: "&", omittingEmptySubsequences: false)
        guard let action = items.firstIndex(of: "_action=register") else { return nil }
        items[action] = "_action=refresh"
        return try? Endpoint("\(parts[0])?\(items.joined(separator: "&"))")
    }
}

/// Credentials as they were read last: reading one takes longer than to check a push.
///
/// It's a cache, which may be dropped at any moment. Every push reads its record from the store again,
/// and what is kept counts only for the very bytes that it was read from. What a replaced record held
/// stays here, unused, until newer ones push it out. What was removed on this device is dropped at once,
/// and all goes with the provider; the secrets are zeroed then.
actor ReadCredentials {
    private static let most = 8

    private var entries: [(sealed: Secret, credential: ForgeRockCredential)] = []

    /// How many are kept.
    var count: Int { entries.count }

    /// Forgets every credential; the next push reads its own again.
    func dropCaches() { entries = [] }

    /// The credential that a record's provider half holds.
    ///
    /// - Throws: `PushError` with the code `malformed` if it is damaged.
    func credential(in sealed: Secret) throws(PushError) -> ForgeRockCredential {
        for entry in entries where entry.sealed.isEqualInConstantTime(to: sealed) {
            return entry.credential
        }
        let credential = try ForgeRockCredential(sealed)
        if entries.count >= Self.most { entries.removeFirst() }
        entries.append((sealed, credential))
        return credential
    }
}
