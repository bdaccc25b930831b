public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// PlusAuth, with the push provider `native`: pushes through the app's own FCM or APNs account.
///
/// PlusAuth signs each push with the private key that this device made and sent to it at
/// enrollment; the account is the one whose public key verifies the push. So this factor proves
/// possession to an honest server only: an attacker who reads the server's database can sign for
/// both sides. Each account has a key pair of its own, used for nothing else.
public struct PlusAuth: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: Configuration

    let environment: PushEnvironment
    let keys: AccountKeySource

    /// Shared by all copies of this value, as its limit is the instance's.
    let search = AccountSearch()

    /// Shared as well.
    let verificationKeys = VerificationKeys()

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "plusauth", configuration: Configuration = Configuration(),
        in environment: PushEnvironment
    ) {
        self.init(id: id, configuration: configuration, keys: .fresh, in: environment)
    }

    /// Creates a provider whose key pairs come from elsewhere, such as from published vectors.
    package init(
        id: ProviderID = "plusauth", configuration: Configuration = Configuration(),
        keys: AccountKeySource, in environment: PushEnvironment
    ) {
        self.id = id
        self.configuration = configuration
        self.environment = environment.scoped(to: id)
            .heedingPauses(where: PlusAuthRequest.asksToWait)
        self.keys = keys
    }

    /// A denial can carry a reason. PlusAuth documents no call for a changed device token and no
    /// list of what waits. A context holds a bearer token, so it is forgotten once it's answered.
    public var capabilities: Capabilities { [.denyReasons, .singleUseContext] }

    /// A plain yes, or the text that the login page shows, among others.
    public var prompts: [Challenge.Prompt] { [.approve, .choose([])] }

    /// The documentation's sample has Firebase's token; its text names both.
    public var pushServices: [PushService] { [.fcm, .apns] }

    /// Reads `otpauth://push` codes and enrolls at their `enrollment_url`.
    public var enroller: any Enroller { PlusAuthEnroller(provider: self) }

    /// Opens and answers challenges.
    public var resolver: any Resolver { PlusAuthResolver(provider: self) }

    /// One-time codes for the login page's "try entering code manually".
    public var codes: (any CodeGenerator)? { PlusAuthCodes(provider: self) }

    /// Nothing may leave: there is no call that leads pushes to another device.
    public var mover: any EnrollmentMover {
        DeviceBound(
            "PlusAuth sends its pushes to the device token that was told when this device was enrolled, and "
                + "has no call that changes it. Enroll the new device there.")
    }

    /// The message as a candidate if it has `context`, at the top level or in `data`: three
    /// base64url parts, the first a JSON object with `alg`.
    ///
    /// The candidate verifies it with the key of its account, and then reads it. That throws
    /// `PushError`: `untrusted` if no account's key verifies it, if its `resolve_url` isn't of the
    /// account's origin, or if it names no account and too few could be tried
    /// (``UntriedAccounts``); `malformed` if it is genuine but not what PlusAuth documents;
    /// `blocked` if the SIM changed and the account is bound to it.
    public func candidate(in message: PushMessage) -> PushCandidate? {
        guard let text = ContextText(message) else { return nil }
        return PushCandidate(text) { (text) async throws(PushError) in
            try await ContextVerifier(provider: self).event(from: text)
        }
    }

    /// The account in the shape of PlusAuth's account model (`details` of a push account).
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if there is no such account.
    public func accountDetails(
        of enrollment: Enrollment.ID
    ) async throws(PushError) -> PushAccountDetails {
        do throws(PushError) {
            let credential = try await vault.existing(enrollment)
            return PushAccountDetails(
                try PlusAuthCredential(credential.secret), credential.enrollment)
        } catch {
            throw error.attributed(to: id)
        }
    }

    var vault: Vault { environment.vault(for: id) }

    var sim: SIMEnforcement { SIMEnforcement(provider: self) }

    /// Drops everything that is kept in memory, as may happen at any moment; not the searches that are
    /// under way.
    func dropCaches() async {
        await search.dropCaches()
        await verificationKeys.dropCaches()
    }

    func observe(
        _ kind: PushObservation.Kind, _ summary: StaticString, at enrollment: Enrollment.ID? = nil
    ) {
        environment.observer.observe(
            PushObservation(kind, summary, provider: id, enrollment: enrollment))
    }
}

/// What is known of the clock of an account's server.
extension PlusAuth {
    /// Its time by the newest reading, for what is signed and for what is made to be shown; `nil` if
    /// there is none.
    func serverTime(
        of enrollment: Enrollment.ID, at origin: String
    ) async -> ClosedRange<Date>? {
        let clock = environment.clock
        return await clock.serverTime.now(
            at: server(at: origin), for: enrollment, elapsed: clock.elapsed)
    }

    /// Whether a moment has passed there: two readings that agree must say so, as a single one may be
    /// anybody's.
    func validity(
        until moment: Date, of enrollment: Enrollment.ID, at origin: String
    ) async -> Validity {
        let clock = environment.clock
        return await clock.serverTime.validity(
            until: moment, for: enrollment, at: server(at: origin), elapsed: clock.elapsed)
    }

    private func server(at origin: String) -> ServerID? {
        (try? Endpoint(origin)).map { ServerID($0, of: id) }
    }
}
