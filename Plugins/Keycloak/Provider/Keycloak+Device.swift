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
        let made = try DeviceKey(from: environment.random)
        let next = try await account.change {
            (credential: inout KeycloakCredential, _) throws(PushError) in
            let next = credential.nextKey ?? made.stored
            credential.nextKey = next
            return next
        }
        let call = DeviceCall(
            .put, "/device/rotate-key",
            .json(["publicKeyJwk": .object(try DeviceKey(stored: next).jwk.members)]))
        let reply = try await calls.reply(to: call, of: account)
        guard reply.hasStatus("rotated") else { throw reply.unexpected("a key rotation's") }
        try await calls.promote(next, of: account)
    }

    /// Locks the user out, as the panic button that the extension documents: by default the realm
    /// disables the whole account and ends what is open. Only an administrator ends that.
    ///
    /// The enrollment is `blocked` then, until the realm lists a challenge for it again. Ask the user
    /// before. Use it as ``rotateKey(of:)``.
    ///
    /// - Parameter account: The enrollment, lent by its turn.
    /// - Throws: `PushError`: `interrupted` if nobody knows whether the realm did it,
    ///   `unknownEnrollment` if the realm no longer knows the device, `server` if it refused; else
    ///   what the exchange or the store throws.
    public func lockOut(_ account: Account) async throws(PushError) {
        let reply = try await calls.reply(
            to: DeviceCall(.post, "/login/lockout", .none), of: account)
        // The one word is the documentation's, the other its OpenAPI description's.
        guard reply.hasStatus("locked_out") || reply.hasStatus("locked") else {
            throw reply.unexpected("a lockout's")
        }
        try await account.changeEnrollment { $0.state = .lockedOut }
    }
}
