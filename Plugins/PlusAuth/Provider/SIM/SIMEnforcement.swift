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
    /// - Throws: `PushError` with the code `blocked` if the account must not be used now.
    func enforce(
        _ setting: Setting? = nil, on id: Enrollment.ID, _ credential: PlusAuthCredential
    ) async throws(PushError) {
        // Most accounts were never bound: nothing to ask the device for.
        guard credential.sim.isBound || setting?.bindSIM == true else { return }
        let cards = await cards(for: credential.installSecret, at: credential.origin)
        let isTimely = await isTimely(setting, of: id, at: credential.origin)
        func judge(_ sim: inout SIMBinding) -> SIMBinding.Verdict {
            if let setting, isTimely {
                sim.apply(setting.bindSIM, made: setting.issued, cards: cards)
            }
            return sim.check(cards)
        }
        var sim = credential.sim
        var verdict = judge(&sim)
        if sim != credential.sim {
            verdict = try await channel.vault.update(id) { (record) throws(PushError) in
                var kept = try PlusAuthCredential(record.secret)
                let verdict = judge(&kept.sim)
                record.secret = kept.sealed
                if kept.sim.isBlocked {
                    record.enrollment.state = Self.simChanged
                } else if record.enrollment.state == Self.simChanged {
                    record.enrollment.state = .active
                }
                return verdict
            }
        }
        try act(on: verdict)
    }

    private func act(on verdict: SIMBinding.Verdict) throws(PushError) {
        switch verdict {
        case .passes:
            break
        case .changed:
            throw PushError(.blocked, "The SIM changed, and the account is bound to it.")
        case .unknown:
            guard channel.configuration.simPolicy != .strict else {
                throw PushError(.blocked, "The SIM can't be told, and the account is bound to it.")
            }
            channel.observe(.noticed, "An account is bound to its SIM, which can't be told here.")
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
