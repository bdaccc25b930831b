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
}
