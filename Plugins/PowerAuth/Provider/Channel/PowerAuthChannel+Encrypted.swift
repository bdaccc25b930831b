import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sealing.
extension PowerAuthChannel {
    /// What every envelope of an activation is bound to.
    func scope(_ record: PowerAuthRecord) -> EncryptionScope {
        .activation(
            configuration.application, activationID: record.activationID,
            transportKey: record.transport)
    }

    /// What every envelope of the application is bound to.
    var applicationScope: EncryptionScope { .application(configuration.application) }

    /// Runs an exchange with a key to seal for.
    ///
    /// A key that the server no longer takes is replaced once: what it couldn't open, it hasn't done.
    ///
    /// - Parameters:
    ///   - scope: What the envelopes are bound to.
    ///   - serverKey: The scope's own server key.
    ///   - exchange: Seals and sends a request, anew each time; its reply, and what opens that.
    func retryingKey<Opener: Sendable>(
        _ scope: EncryptionScope, _ serverKey: CurvePoint,
        _ exchange: (EncryptionKey) async throws(PushError) -> (reply: Reply, opener: Opener)
    ) async throws(PushError) -> (reply: Reply, opener: Opener) {
        let (key, wasKept) = try await encryptionKey(scope, serverKey)
        let first = try await exchange(key)
        guard wasKept, first.reply.isRefusal(.encryption) || first.reply.isRefusal(.temporaryKey)
        else { return first }
        await provider.temporaryKeys.forget(scope)
        return try await exchange(try await encryptionKey(scope, serverKey).key)
    }

    /// Makes what seals one kind of request.
    func encryptor(
        _ key: EncryptionKey, _ scope: EncryptionScope, _ sharedInfo1: String
    ) throws(PushError) -> RequestEncryptor {
        try RequestEncryptor(
            version: configuration.version, scope: scope, key: key, sharedInfo1: sharedInfo1,
            random: environment.random)
    }

    /// The key to seal for, and whether it was kept from before.
    ///
    /// Below 3.3 there is only the server's own; then nothing tells the server's time by the way, so
    /// it's asked for.
    private func encryptionKey(
        _ scope: EncryptionScope, _ serverKey: CurvePoint
    ) async throws(PushError) -> (key: EncryptionKey, wasKept: Bool) {
        guard configuration.version == .v3_3 else {
            if configuration.version == .v3_2, await knownTime() == nil {
                _ = try? await askTime()
            }
            return (EncryptionKey(id: nil, publicKey: serverKey), false)
        }
        let keys = provider.temporaryKeys
        if let kept = await keys.key(for: scope, at: environment.clock.elapsed) {
            return (kept.key, true)
        }
        let fetched = try await temporaryKey(scope, serverKey)
        await keys.keep(fetched, for: scope, at: environment.clock.elapsed)
        return (fetched.key, false)
    }

    private func temporaryKey(
        _ scope: EncryptionScope, _ serverKey: CurvePoint
    ) async throws(PushError) -> TemporaryKey {
        let request = TemporaryKeyRequest(scope, random: environment.random)
        let sent = environment.clock.elapsed
        let answer = try await plain(
            "/pa/v3/keystore/create", ["jwt": .string(try request.token())])
        guard let jwt = answer["jwt"]?.string else {
            throw provider.error(.malformed, "The server made no temporary key.")
        }
        do throws(PushError) {
            let key = try request.key(from: jwt, signedBy: serverKey, sent: sent)
            await note(key.issued, sent: sent)
            return key
        } catch {
            throw error.of(provider.id)
        }
    }
}
