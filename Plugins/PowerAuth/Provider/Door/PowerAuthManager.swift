public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an app can do with an activation besides answering operations: the vendor's own door to it.
///
/// Each call takes the enrollment's turn, so it waits for an answer that is on its way.
public struct PowerAuthManager: Sendable {
    let turn: ActivationTurn

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin, as the authenticator's registry holds it.
    ///   - enrollment: The activation.
    /// - Throws: `PushError` with the code `invalidArgument` if it's another provider's.
    public init(
        _ authenticator: PushAuthenticator, provider: PowerAuth, enrollment: Enrollment.ID
    ) throws(PushError) {
        guard enrollment.provider == provider.id else {
            throw PushError(
                .invalidArgument, "It is another provider's.", provider: provider.id)
        }
        turn = ActivationTurn(
            authenticator: authenticator, channel: provider.channel, enrollment: enrollment)
    }

    /// The activation.
    public var enrollment: Enrollment.ID { turn.enrollment }

    /// The app's own requests to its bank.
    public var requests: PowerAuthRequests { PowerAuthRequests(turn: turn) }

    /// What only the server's word opens.
    public var vault: PowerAuthVault { PowerAuthVault(turn: turn) }

    /// The messages that the server keeps for the user.
    public var inbox: PowerAuthInbox { PowerAuthInbox(turn: turn) }

    /// The digits that the user compares with the back office before an activation is committed.
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if there is no such activation,
    ///   `malformed` or `storage` if its record can't be read.
    public func fingerprint() async throws(PushError) -> String {
        try await turn.channel.accounts.existing(enrollment).record.fingerprint
    }

    /// Asks the server for the activation's status, and records what follows from it.
    ///
    /// - Throws: `PushError`: `unreachable`, `interrupted` or `server` if the server couldn't be
    ///   asked, `untrusted` or `malformed` if its answer doesn't hold, `unknownEnrollment` if there
    ///   is no such activation, `storage` if the store can't be used.
    public func status() async throws(PushError) -> PowerAuthActivationStatus {
        try await turn { (channel, account) async throws(PushError) -> PowerAuthActivationStatus in
            PowerAuthActivationStatus(try await channel.status(of: account))
        }
    }

    /// Asks the server for its time. From then on the device seals and proves with that time,
    /// however wrong its own clock is.
    ///
    /// - Returns: The server's time.
    /// - Throws: `PushError`: `unreachable`, `interrupted`, `server` or `malformed` if the server
    ///   doesn't tell it; `unknownEnrollment` if there is no such activation.
    @discardableResult
    public func synchronizeTime() async throws(PushError) -> Date {
        try await turn { (channel, account) async throws(PushError) -> Date in
            let time = try await channel.askTime()
            await channel.followTime(of: account)
            return time
        }
    }

    /// Removes the activation from this device alone: the server isn't told, and the user isn't asked.
    ///
    /// `PushAuthenticator.remove` ends it at the server, too.
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if there is no such activation,
    ///   `malformed` if its record is damaged, `storage` if it couldn't be deleted.
    public func removeLocally() async throws(PushError) {
        _ = try await turn.channel.accounts.existing(enrollment)
        try await turn.authenticator.remove(enrollment, from: .device)
    }
}

// MARK: PIN and biometry

extension PowerAuthManager {
    /// Asks the server whether a PIN is right. Nobody else can tell, and a wrong one counts.
    ///
    /// - Parameter pin: The PIN in UTF-8.
    /// - Throws: `PushError` with the code `notTaken` if it's wrong, with the attempts that are
    ///   left; `blocked` if that was the last one; `unreachable`, `interrupted` or `server` if the
    ///   server couldn't be asked; `unknownEnrollment` if there is no such activation.
    public func validatePIN(_ pin: Secret) async throws(PushError) {
        try await turn { (channel, account) async throws(PushError) in
            try await channel.validate(.pin(pin), of: account)
        }
    }

    /// Replaces the PIN.
    ///
    /// The server has to take the old PIN first. A wrong PIN unlocks a wrong key, and locking that
    /// one with the new PIN would lose the right key for good.
    ///
    /// - Parameters:
    ///   - old: The PIN in UTF-8.
    ///   - new: The new PIN in UTF-8, of at least ``PowerAuthConfiguration/minimumPINLength`` bytes.
    /// - Throws: `PushError` with the codes of ``validatePIN(_:)``; `verificationFailed` if the new
    ///   one is too short, `conflict` if another process changed the PIN meanwhile. The old one
    ///   stays then.
    public func changePIN(from old: Secret, to new: Secret) async throws(PushError) {
        try await turn { (channel, account) async throws(PushError) in
            let replacement = try await PINLock.Stretched(
                new: new, channel.configuration, random: channel.environment.random)
            guard let lock = try account.record.locked?.knowledge else {
                throw PushError(.unknownEnrollment, "The server has removed the activation.")
            }
            let known = try await PINLock.Stretched(old, for: lock)
            try await channel.validate(.pin(old), of: account)
            try await account.change { (record: inout PowerAuthRecord, _) throws(PushError) in
                // A salt serves one PIN: with the same one, this is the lock that was verified.
                guard let knowledge = try record.locked?.knowledge.key(under: known) else {
                    throw PushError(.conflict, "The PIN was changed meanwhile.")
                }
                record.locked?.knowledge = try PINLock(knowledge, under: replacement)
            }
        }
    }

    /// Whether biometry can take the PIN's place.
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if there is no such activation,
    ///   `malformed` or `storage` if its record can't be read.
    public func hasBiometry() async throws(PushError) -> Bool {
        try await turn.channel.accounts.existing(enrollment).record.hasBiometry
    }

    /// Sets up biometry, or replaces it, after the activation.
    ///
    /// The app's verifier is asked for the PIN; without a guard for new biometry, too, whose secret it
    /// brings. The server lends the key of the vault for the PIN, and isn't told of the change: the key
    /// that biometry unlocks is the same for the life of the activation, so an old copy of it, with the
    /// secret that unlocked that, would still sign.
    ///
    /// - Parameter policy: What opens a new secret in the environment's `KeyGuard` from now on; `nil`
    ///   for no guard.
    /// - Throws: `PushError`: `cancelled` or `verificationFailed` if the user can't be verified, or the
    ///   secret that biometry unlocks is too short; `unsupported` if there is no guard, or not for this
    ///   policy; the codes of ``PowerAuthVault/unlock(for:by:_:)``; `storage` or `conflict` if it can't
    ///   be kept. All is as it was then.
    public func addBiometry(guardedBy policy: GuardPolicy? = nil) async throws(PushError) {
        try await turn { (channel, account) async throws(PushError) in
            _ = try await channel.active(account)
            let evidence = try await channel.environment.verifier.verify(
                VerificationRequest(
                    .manage(enrollment, "set up biometry"),
                    alternatives: policy == nil ? [[.pin, .newBiometry]] : [[.pin]]))
            let brought = policy == nil ? evidence.biometricSecret : nil
            guard let pin = evidence.pin, brought != nil || policy != nil else {
                throw PushError(
                    .verificationFailed,
                    "The verifier brought no PIN, or no secret that biometry unlocks.")
            }
            if let brought { try BiometricLock.check(brought) }
            let biometry = try await channel.unlockedVault(
                of: account, for: .addBiometry, by: .pin(pin)
            ).keys.biometry
            try await account.change(guarding: policy) {
                (record: inout PowerAuthRecord, _, made) throws(PushError) in
                guard record.locked != nil else {
                    throw PushError(.unknownEnrollment, "The server has removed the activation.")
                }
                record.locked?.biometry = try (made ?? brought).map { (secret) throws(PushError) in
                    try BiometricLock.lock(biometry, under: secret)
                }
            }
        }
    }

    /// Forgets the key that biometry unlocks, and what a guard has of it. The server isn't told;
    /// ``addBiometry(guardedBy:)`` sets it up again.
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if there is no such activation,
    ///   `malformed` or `storage` if its record can't be changed.
    public func removeBiometry() async throws(PushError) {
        try await turn { (_, account) async throws(PushError) in
            try await account.change(guarding: nil) { (record: inout PowerAuthRecord, _, _) in
                record.locked?.biometry = nil
            }
        }
    }
}

extension PowerAuthChannel {
    /// Has the server verify factors, for no other purpose.
    func validate(_ factors: PowerAuthFactors, of account: Account) async throws(PushError) {
        // The reason is for the server's records alone; this is what the vendor's apps write.
        let body = JSON.reason("VALIDATE_PASSWORD").data
        let reply = try await askAfterLostReply(account) { () async throws(PushError) in
            try await signed(account, .validate, body: body, factors: factors)
        }
        guard reply.isSuccess else { throw await failure(reply, of: account, factors: factors) }
    }
}

// MARK: Status

/// The status of an activation, as the server told it to this device alone.
public struct PowerAuthActivationStatus: Sendable {
    /// The activation's state.
    public let state: State

    /// How many signatures with a PIN or biometry have failed in a row.
    public let failedAttempts: Int

    /// How many may fail until the activation is blocked.
    public let maximumAttempts: Int

    /// How many may still fail; 0 unless the activation is active.
    public let remainingAttempts: Int

    /// What the server's owner adds for the app; `nil` if nothing.
    public let customObject: JSON?

    /// The states of an activation.
    @nonexhaustive
    public enum State: Hashable, Sendable, CaseIterable {
        /// `CREATED`: no device has used the code.
        case created
        /// `PENDING_COMMIT`: the back office must commit it.
        case pendingCommit
        /// `ACTIVE`: it can be used.
        case active
        /// `BLOCKED`: its provider can unblock it.
        case blocked
        /// `REMOVED`: it is over.
        case removed
        /// The server takes no signature of this device any more, as the counters have parted.
        case deadlock
        /// Two answers couldn't be opened, which is how a server says that it has no such activation.
        case unknown
    }

    init(_ status: ActivationStatus) {
        state = State(status)
        failedAttempts = status.blob?.failedAttempts ?? 0
        maximumAttempts = status.blob?.maximumAttempts ?? 0
        remainingAttempts = status.attemptsLeft ?? 0
        customObject = status.customObject
    }
}

extension PowerAuthActivationStatus.State {
    init(_ status: ActivationStatus) {
        guard let blob = status.blob else {
            self = .unknown
            return
        }
        guard blob.state == .removed || status.enrollment.state != .needsReenrollment else {
            self = .deadlock
            return
        }
        self =
            switch blob.state {
            case .created: .created
            case .pendingCommit: .pendingCommit
            case .active: .active
            case .blocked: .blocked
            case .removed: .removed
            }
    }
}
