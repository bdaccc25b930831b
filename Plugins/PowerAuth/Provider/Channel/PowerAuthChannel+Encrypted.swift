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

    /// Runs an exchange with a key to seal for, and with the server's time.
    ///
    /// A key that the server no longer takes, and a time that it takes no more, is replaced once:
    /// what it couldn't open, it hasn't done.
    ///
    /// - Parameters:
    ///   - scope: What the envelopes are bound to.
    ///   - serverKey: The scope's own server key.
    ///   - exchange: Seals and sends a request, which it makes once more each time; its reply, and
    ///     what opens that.
    func retryingKey<Opener: Sendable>(
        _ scope: EncryptionScope, _ serverKey: CurvePoint,
        _ exchange: (EncryptionKey) async throws(PushError) -> (reply: HTTPReply, opener: Opener)
    ) async throws(PushError) -> (reply: HTTPReply, opener: Opener) {
        let (key, wasKept) = try await encryptionKey(scope, serverKey)
        let time = await now(for: enrollment(of: scope))
        let first = try await exchange(key)
        guard wasKept, [.encryption, .temporaryKey].contains(first.reply.refusal) else {
            return first
        }
        if configuration.version == .v3_3 {
            // A new key brings the time with it.
            return try await exchange(try await renewKey(scope, serverKey))
        }
        guard await hasMended(time, scope, serverKey) else { return first }
        return try await exchange(key)
    }

    /// Makes what seals one kind of request.
    func encryptor(
        _ key: EncryptionKey, _ scope: EncryptionScope, _ sharedInfo1: String
    ) throws(PushError) -> RequestEncryptor {
        try RequestEncryptor(
            version: configuration.version, scope: scope, key: key, sharedInfo1: sharedInfo1,
            random: environment.random)
    }

    /// The key to seal for, and whether it, or the time that goes with it, was known before.
    ///
    /// Below 3.3 there is only the server's own key; then nothing tells the server's time by the
    /// way, so it's asked for where it goes with what is sealed.
    private func encryptionKey(
        _ scope: EncryptionScope, _ serverKey: CurvePoint
    ) async throws(PushError) -> (key: EncryptionKey, wasKept: Bool) {
        switch configuration.version {
        case .v3_1: return (EncryptionKey(id: nil, publicKey: serverKey), false)
        case .v3_2:
            let isKnown = await knownTime(for: enrollment(of: scope)) != nil
            if !isKnown { _ = try? await askTime() }
            return (EncryptionKey(id: nil, publicKey: serverKey), isKnown)
        case .v3_3:
            if let kept = await provider.temporaryKeys.key(
                for: scope, at: environment.clock.elapsed)
            {
                return (kept.key, true)
            }
            return (try await renewKey(scope, serverKey), false)
        }
    }

    /// Fetches a temporary key in place of the one that was kept, if there was one.
    @discardableResult
    func renewKey(
        _ scope: EncryptionScope, _ serverKey: CurvePoint
    ) async throws(PushError) -> EncryptionKey {
        let keys = provider.temporaryKeys
        await keys.forget(scope)
        let fetched = try await temporaryKey(scope, serverKey)
        await keys.keep(fetched, for: scope, at: environment.clock.elapsed)
        return fetched.key
    }

    private func temporaryKey(
        _ scope: EncryptionScope, _ serverKey: CurvePoint
    ) async throws(PushError) -> TemporaryKey {
        let request = TemporaryKeyRequest(scope, random: environment.random)
        let sent = environment.clock.elapsed
        let answer = try await plain(
            "/pa/v3/keystore/create", ["jwt": .string(try request.token())])
        guard let jwt = answer["jwt"]?.string else {
            throw PushError(.malformed, "The server made no temporary key.")
        }
        let key = try request.key(from: jwt, signedBy: serverKey, sent: sent)
        if let id = enrollment(of: scope) {
            await note(signed: key.issued, for: id, sent: sent)
        } else {
            // The application's key is nobody's own.
            await note(key.issued, sent: sent)
        }
        return key
    }
}
