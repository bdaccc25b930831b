import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns AM's pushes into events. Nothing of a push is believed before its signature held.
struct PushVerifier: Sendable {
    let provider: ProviderID
    let environment: PushEnvironment

    /// Verifies a push with the key of the mechanism it names, then reads it.
    func event(
        from payload: PushPayload, in accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        let token = try payload.token.get()
        // The one read before the check: it leads to the key, and to nothing else.
        guard let mechanism = token.unverifiedClaims["u"]?.string else {
            throw PushError(.malformed, "The push names no mechanism: claim u.")
        }
        let enrollment = Enrollment.ID(mechanism, of: provider)
        guard let account = try await accounts.account(enrollment) else {
            throw PushError(.unknownEnrollment, "No mechanism on this device has this identifier.")
        }
        let kept: ForgeRockCredential = try account.credential()
        let verified = try token.verified(by: HS256Key(kept.sharedSecret))
        var read = try PushClaims(verified.claims, received: nil)
        if read.signedTime == nil { read.issued = try await received(kept, enrollment) }
        let claims = read
        let name = Self.name(of: claims.challenge)
        let now = environment.clock.now
        let messageID = payload.messageID
        var newest = kept
        // A push that comes again writes nothing.
        if newest.learn(from: claims, messageID, of: name, now: now) {
            account.note { (newest: inout ForgeRockCredential, _) in
                _ = newest.learn(from: claims, messageID, of: name, now: now)
            }
        }
        if claims.kind == .unknown { tell("A push has an unknown type: claim k.") }
        if claims.hasUnreadableOptions { tell("A push has options that aren't numbers: n.") }
        let notice = Notice(
            id: Challenge.ID(name, of: enrollment), body: claims.message,
            issued: claims.signedTime == nil ? nil : claims.issued, expiry: claims.expiry,
            proof: .mac)
        let context = verified.withPayload { bytes in
            ChallengeContext.sealed(claims, messageID: messageID, payload: bytes)
        }
        return .notice(Announcement(notice, context: context))
    }

    /// When a push arrived, for one that AM didn't date: by AM's clock if anything is known of it,
    /// else by this device's. It's our reckoning, and so never told as AM's word.
    private func received(
        _ kept: ForgeRockCredential, _ enrollment: Enrollment.ID
    ) async throws(PushError) -> Date {
        let clock = environment.clock
        let server = Endpoint.ServerID(try kept.authenticationEndpoint, of: provider)
        let known = await clock.serverTime.now(at: server, for: enrollment, elapsed: clock.elapsed)
        return known?.lowerBound ?? clock.now
    }

    /// The message id stands outside the signature, so a challenge is named after what is signed.
    private static func name(of challenge: [UInt8]) -> String {
        challenge.withUnsafeBytes { SHA256.digest(of: $0) }.withUnsafeBytes { Hexadecimal.text($0) }
    }

    private func tell(_ summary: StaticString) {
        environment.observer.observe(PushObservation(.noticed, summary, provider: provider))
    }
}

/// The two texts of AM's push, wherever they stand in a message.
struct PushPayload {
    /// The identifier to echo in the answer. It stands outside the signature, so it proves nothing.
    let messageID: String

    /// The JWT as it was read, or why it can't be.
    let token: Result<UnverifiedJWT, PushError>

    /// Looks into `aps`, then at the top level, then into the `data` of a whole FCM message;
    /// `message` before `data`.
    init?(_ message: PushMessage) {
        let found =
            Self(in: message["aps"]) ?? Self(in: message.content) ?? Self(in: message["data"])
        guard let found else { return nil }
        self = found
    }

    private init?(in place: JSON?) {
        guard let place = place?.object, let messageID = place["messageId"]?.string,
            !messageID.isEmpty,
            let token = place.withText("message", Self.read) ?? place.withText("data", Self.read),
            let token
        else { return nil }
        self.messageID = messageID
        self.token = token
    }

    /// - Returns: `nil` if there is nothing to read.
    private static func read(
        _ token: UnsafeRawBufferPointer
    ) -> Result<UnverifiedJWT, PushError>? {
        guard !token.isEmpty else { return nil }
        return Result { () throws(PushError) in
            try UnverifiedJWT(parsing: token, encoding: .anyAlphabet)
        }
    }
}
