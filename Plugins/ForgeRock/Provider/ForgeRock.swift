import Crypto
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// ForgeRock Access Management, also known as PingAM and PingOne Advanced Identity Cloud ("AM").
///
/// AM signs each push with a secret it shared at enrollment (HS256). Nothing of a push is believed,
/// shown or stored before that signature holds.
public struct ForgeRock: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: Configuration

    let environment: Environment

    /// Shared by all copies of this value.
    let credentials = ReadCredentials()

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "forgerock", configuration: Configuration = Configuration(),
        in environment: Environment
    ) {
        self.id = id
        self.configuration = configuration
        self.environment = environment.scoped(to: id)
    }

    /// The device token can be changed (AM 8.0.1 or later). AM judges lateness itself, so an
    /// answer after the expiry may be sent, unless the configuration says otherwise.
    public var capabilities: Capabilities {
        configuration.refusesLateAnswers ? [.tokenUpdate] : [.tokenUpdate, .lateAnswers]
    }

    /// AM takes Apple's token on Apple's systems, and Firebase's elsewhere.
    public var pushServices: [PushService] { [.apns, .fcm] }

    /// Reads enrollment URIs and registers with AM.
    public var enroller: any Enroller { ForgeRockEnroller(provider: self) }

    /// Opens and answers AM's challenges.
    public var resolver: any Resolver { ForgeRockResolver(provider: self) }

    var vault: Vault { environment.vault(for: id) }

    /// Drops everything that is kept in memory, as may happen at any moment.
    func dropCaches() async { await credentials.dropCaches() }

    /// What has the form of AM's pushes: APNs, FCM, or the bare pair of both.
    public func candidate(in message: PushMessage) -> PushCandidate? {
        guard let payload = PushPayload(message) else { return nil }
        return PushCandidate(payload) { (payload) async throws(PushError) in
            try await event(from: payload)
        }
    }

    /// Verifies a push with the key of the mechanism it names, then reads it.
    private func event(from payload: PushPayload) async throws(PushError) -> PushEvent {
        let token = try UnverifiedJWT(parsing: payload.token, encoding: .anyAlphabet)
        // The one read before the check: it leads to the key, and to nothing else.
        guard let mechanism = token.unverifiedClaims["u"]?.string else {
            throw PushError(.malformed, "The push names no mechanism: claim u.")
        }
        let enrollment = Enrollment.ID(mechanism, of: id)
        guard let secret = try await vault.secret(of: enrollment) else {
            throw PushError(.unknownEnrollment, "No mechanism on this device has this identifier.")
        }
        let kept = try await credentials.credential(in: secret)
        let verified = try token.verified(by: HS256Key(kept.sharedSecret))
        var claims = try PushClaims(verified.claims, received: nil)
        if claims.signedTime == nil { claims.issued = try await received(kept, enrollment) }
        let name = Self.name(of: claims.challenge)
        try await learn(from: claims, payload.messageID, of: name, kept, at: enrollment)
        if claims.kind == .unknown { tell("A push has an unknown type: claim k.") }
        if claims.hasUnreadableOptions { tell("A push has options that aren't numbers: n.") }
        let notice = Notice(
            id: Challenge.ID(name, of: enrollment), body: claims.message,
            issued: claims.signedTime == nil ? nil : claims.issued, expiry: claims.expiry,
            proof: .mac)
        let context = ChallengeContext.sealed(
            claims, messageID: payload.messageID, payload: verified.payload)
        return .notice(Announcement(notice, context: context))
    }

    /// When a push arrived, for one that AM didn't date: by AM's clock if anything is known of it, else
    /// by this device's. It's our reckoning, and so never told as AM's word.
    private func received(
        _ kept: ForgeRockCredential, _ enrollment: Enrollment.ID
    ) async throws(PushError) -> Date {
        let clock = environment.clock
        let server = ServerID(try kept.authenticationEndpoint, of: id)
        let known = await clock.servers.now(at: server, for: enrollment, elapsed: clock.elapsed)
        return known?.lowerBound ?? clock.now
    }

    /// The message id stands outside the signature, so a challenge is named after what is signed.
    private static func name(of challenge: [UInt8]) -> String {
        let digits: StaticString = "0123456789abcdef"
        return challenge.withUnsafeBytes { SHA256.digest(of: $0) }.withUnsafeBytes { digest in
            String(unsafeUninitializedCapacity: 2 * digest.count) { output in
                var position = 0
                for byte in digest {
                    output[position] = digits.utf8Start[Int(byte >> 4)]
                    output[position + 1] = digits.utf8Start[Int(byte & 0x0F)]
                    position += 2
                }
                return position
            }
        }
    }

    /// Keeps what a verified push tells of the enrollment. One that comes again writes nothing.
    private func learn(
        from claims: PushClaims, _ messageID: String, of challenge: String,
        _ kept: ForgeRockCredential, at enrollment: Enrollment.ID
    ) async throws(PushError) {
        var known = kept
        let now = environment.clock.now
        guard known.learn(from: claims, messageID, of: challenge, now: now) else { return }
        try await vault.update(enrollment) { (credential) throws(PushError) in
            var newest = try ForgeRockCredential(credential.secret)
            // Another process may have got the same push.
            guard newest.learn(from: claims, messageID, of: challenge, now: now) else { return }
            credential.secret = newest.sealed
        }
    }

    private func tell(_ summary: StaticString) {
        environment.observer.observe(Observation(.noticed, summary, provider: id))
    }
}
