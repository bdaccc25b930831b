import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Holds bound accounts to their SIM cards, as the server wants it and the app has chosen.
struct SIMEnforcement: Sendable {
    /// `settings.bind_sim` of a push, and when it was made.
    struct Setting {
        let bindSIM: Bool
        let issued: Date
        let expiry: Date
    }

    private static let simChanged = Enrollment.State.blocked("sim changed")

    let channel: PlusAuthChannel

    /// The cards that are in the device now; `nil` if they can't be told.
    func cards(
        for installSecret: InstallSecret, at origin: String
    ) async -> [SIMBinding.Card]? {
        guard let identity = channel.configuration.simIdentity,
            let cards = try? await identity.identities()
        else { return nil }
        return cards.map {
            SIMBinding.Card(slot: $0.slot, hash: installSecret.hash(of: $0, at: origin))
        }
    }

    /// Takes what the server wants, compares the cards, and keeps what changed.
    ///
    /// - Parameters:
    ///   - setting: What the message that is verified says; `nil` if it doesn't say, or there is
    ///     none.
    ///   - account: The account.
    /// - Throws: `PushError` with the code `blocked` if the account must not be used now.
    func enforce(_ setting: Setting? = nil, on account: Account) async throws(PushError) {
        let known: PlusAuthCredential = try account.credential()
        // Most accounts were never bound: nothing to ask the device for.
        guard known.sim.isBound || setting?.bindSIM == true else { return }
        let cards = await cards(for: known.installSecret, at: known.origin)
        let isTimely = await isTimely(setting, of: account.id, at: known.origin)
        func judge(
            _ credential: inout PlusAuthCredential, _ enrollment: inout Enrollment
        ) -> SIMBinding.Verdict {
            if let setting, isTimely {
                credential.sim.apply(setting.bindSIM, made: setting.issued, cards: cards)
            }
            let verdict = credential.sim.check(cards)
            if credential.sim.isBlocked {
                enrollment.state = Self.simChanged
            } else if enrollment.state == Self.simChanged {
                enrollment.state = .active
            }
            return verdict
        }
        var (credential, enrollment) = (known, account.enrollment)
        var verdict = judge(&credential, &enrollment)
        // Not a note: it stays whatever becomes of the message, and the newest record has the verdict.
        if credential.sim != known.sim { verdict = try await account.change(judge) }
        if let obstacle = obstacle(verdict) { throw obstacle }
        if verdict == .unknown {
            channel.observe(.noticed, "An account is bound to its SIM, which can't be told here.")
        }
    }

    /// Why an account must not be used now; `nil` if it may be.
    private func obstacle(_ verdict: SIMBinding.Verdict) -> PushError? {
        switch verdict {
        case .unknown where channel.configuration.simPolicy == .strict:
            PushError(.blocked, "The SIM can't be told, and the account is bound to it.")
        case .passes, .unknown: nil
        case .changed: PushError(.blocked, "The SIM changed, and the account is bound to it.")
        }
    }

    /// Whether a setting still counts. An old push that is played back lifts no block; what the
    /// cards say is checked all the same.
    ///
    /// Where nobody can tell whether the push has expired, this device's clock, which its user may
    /// set, can keep a `false` from counting, but no `true`.
    private func isTimely(
        _ setting: Setting?, of id: Enrollment.ID, at origin: String
    ) async -> Bool {
        guard let setting else { return false }
        return switch await channel.validity(until: setting.expiry, of: id, at: origin) {
        case .valid: true
        case .expired: false
        case .uncertain: setting.bindSIM || setting.expiry > channel.environment.clock.now
        }
    }
}
