import PushCore
import PushTesting

@testable import FictionalVendor

/// An Acme that behaves as usual, but for what a test says otherwise.
protocol AcmeVariant: ProviderVariant {
    var acme: Acme { get }
}

extension AcmeVariant {
    var base: any PushProvider { acme }
}

/// An Acme with what only some vendors have.
struct RicherAcme: AcmeVariant {
    let acme: Acme

    /// Why a challenge is over that its whole list lacks.
    var endsUnlisted: Withdrawal.Reason?

    /// Whether its server lets nobody ask for the list.
    let refusesList = Switch()

    /// For how long its codes may be used.
    var lifetime: Duration?

    /// Whether another code for an account replaces its enrollment.
    var enrollsAgain = false

    /// Whether its enrollments may be told a device token.
    var takesDeviceToken = true

    var merge: @Sendable (Announcement, Announcement) throws(PushError) -> Announcement? = {
        (_, _) throws(PushError) in nil
    }

    init(_ options: Acme.Options = .init(), in environment: PushEnvironment) {
        acme = Acme("acme", options, in: environment)
    }

    func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? { try merge(known, other) }

    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer? {
        guard var offer = try acme.offer(invitation) else { return nil }
        if enrollsAgain { offer.enrollment = Enrollment.ID(offer.account ?? "", of: id) }
        offer.deadline = lifetime.map { acme.environment.clock.elapsed + $0 }
        return offer
    }

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        guard let id = offer.enrollment, let known = try await acme.accounts.account(id) else {
            let made = try await acme.enroll(offer, with: evidence, deviceToken: deviceToken)
            return try await acme.accounts.existing(made.id).changeEnrollment { enrollment in
                enrollment.takesDeviceToken = takesDeviceToken
                return enrollment
            }
        }
        try await acme.ask("/enroll", ["again": true], of: known)
        return try await known.changeEnrollment { enrollment in
            enrollment.issuer = "Acme again"
            enrollment.deviceToken = deviceToken
            return enrollment
        }
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        var pending = try await acme.pending(of: account, after: hint)
        guard await !refusesList.isOn else {
            throw PushError(.listRefused, "Acme lets nobody ask.")
        }
        pending.endsUnlisted = endsUnlisted
        return pending
    }
}

/// Something that a test turns on and off.
actor Switch {
    private(set) var isOn = false

    func turn(on isOn: Bool) { self.isOn = isOn }
}

extension AuthenticatorHarness {
    /// An authenticator with a richer Acme, at which these accounts are enrolled.
    func enrolled(
        _ accounts: [String] = ["ada"], at acme: RicherAcme
    ) async throws -> PushAuthenticator {
        let authenticator = try authenticator(of: acme)
        for account in accounts { _ = try await authenticator.join(account) }
        return authenticator
    }

    /// The same before anybody has enrolled.
    func authenticator(of acme: some AcmeVariant) throws -> PushAuthenticator {
        PushAuthenticator(
            try PluginRegistry([acme]), in: environment, configuration: AuthenticatorHarness.quiet)
    }
}
