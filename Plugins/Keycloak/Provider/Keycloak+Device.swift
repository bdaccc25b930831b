import HTTPTypes
public import PushCore
import PushJOSE

/// What the extension lets a device do beside answering.
extension Keycloak {
    /// Gives the realm a new key for an enrollment, and uses that from then on.
    ///
    /// The new key is on record before the realm hears of it, and the old one stays until the realm
    /// has provably taken the new one. So a process that is killed anywhere, or a reply that is lost,
    /// loses no enrollment: the next call finds out which of the two the realm knows. Called again
    /// after such an end, this finishes what was begun, with the same new key.
    ///
    /// ```swift
    /// try await authenticator.turn(of: id) { (account) async throws(PushError) in
    ///     try await keycloak.rotateKey(of: account)
    /// }
    /// ```
    ///
    /// - Parameter account: The enrollment, lent by its turn.
    /// - Throws: `PushError`: `interrupted` if nobody knows whether the realm took it,
    ///   `unknownEnrollment` if the realm no longer knows the device, `server` if it refused; else
    ///   what the exchange or the store throws.
    public func rotateKey(of account: Account) async throws(PushError) {
        let made = try DeviceKey(
            from: environment.random, inEnclave: configuration.usesSecureEnclave)
        if try await rotate(account, made) { return }
        // Another process has changed the key. So which one comes next is to be chosen again: told by
        // a key that is newer than the choice, the realm would take one that is on record no more.
        try await account.reload()
        guard try await rotate(account, made) else {
            throw PushError(
                .server(status: 403), "The realm knows another key for this device: enroll again.")
        }
    }

    /// Tells the realm the key that comes next.
    ///
    /// - Returns: `false` if the realm knows none of the keys that are on record.
    private func rotate(
        _ account: Account, _ made: DeviceKey
    ) async throws(PushError) -> Bool {
        let next = try await account.change {
            (credential: inout KeycloakCredential, _) throws(PushError) in
            let next = credential.nextKey ?? made.stored
            credential.nextKey = next
            return next
        }
        let call = DeviceCall(
            .put, "/device/rotate-key",
            .json(["publicKeyJwk": .object(try DeviceKey(stored: next).jwk.members)]),
            saying: "rotated")
        let reply = try await calls.reply(to: call, of: account, readsAgain: false)
        guard !reply.says(.wrongProofSignature) else { return false }
        guard call.isDone(by: reply) else { throw reply.unexpected("a key rotation's") }
        try await calls.promote(next, of: account)
        return true
    }

    /// Locks the user out, as the panic button that the extension documents: by default the realm
    /// disables the whole account and ends what is open. Only an administrator ends that.
    ///
    /// The enrollment is `blocked` then, and no yes goes out for it. It is active again once the realm
    /// lists a challenge that is newer, or any when the app refreshes the enrollment. Ask the user
    /// before. Use it as ``rotateKey(of:)``.
    ///
    /// - Parameter account: The enrollment, lent by its turn.
    /// - Throws: `PushError`: `interrupted` if nobody knows whether the realm did it,
    ///   `unknownEnrollment` if the realm no longer knows the device, `server` if it refused; else
    ///   what the exchange or the store throws.
    public func lockOut(_ account: Account) async throws(PushError) {
        // The one word is the documentation's, the other its OpenAPI description's.
        let call = DeviceCall(.post, "/login/lockout", .none, saying: "locked_out", "locked")
        let reply = try await calls.reply(to: call, of: account)
        guard call.isDone(by: reply) else { throw reply.unexpected("a lockout's") }
        let now = try await calls.seconds(for: account)
        try await account.change { (credential: inout KeycloakCredential, enrollment) in
            credential.lockout = now
            enrollment.state = .lockedOut
        }
    }
}
