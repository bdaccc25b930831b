import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SignedCall {
    static let unlockVault = SignedCall(path: "/pa/v3/vault/unlock", uriID: "/pa/vault/unlock")
}

extension PowerAuthChannel {
    /// Has the server lend the vault's key, and opens the device's with it.
    ///
    /// - Throws: `PushError`, as ``PowerAuthVault/unlock(for:by:_:)`` says.
    func unlockedVault(
        of account: Account, for reason: PowerAuthVaultReason, by factors: PowerAuthFactors
    ) async throws(PushError) -> PowerAuthOpenVault {
        switch factors {
        case .pin, .biometry: break
        case .possession, .pinAndBiometry, .pinAlone, .biometryAlone:
            throw PushError(
                .invalidArgument, "A vault opens to the PIN, or to biometry, with the device.")
        }
        let record = try await active(account)
        let opened = try await askAfterLostReply(account) { () async throws(PushError) -> Secret in
            try await openedReply(account, reason, factors)
        }
        let vaultKey = try PowerAuthOpenVault.key(lentBy: opened, under: record.transport)
        // The keys may have been forgotten meanwhile, with the activation.
        guard let locked = try account.record.locked else {
            throw PushError(.unknownEnrollment, "The server has removed the activation.")
        }
        return try PowerAuthOpenVault(
            vaultKey: vaultKey, locked: locked.deviceKey, serverKey: try record.serverPublicKey)
    }

    private func openedReply(
        _ account: Account, _ reason: PowerAuthVaultReason, _ factors: PowerAuthFactors
    ) async throws(PushError) -> Secret {
        let call = SignedCall.unlockVault
        let record = try account.record
        let scope = scope(record)
        let question: JSON = ["reason": .string(reason.text)]
        // An envelope that the server can't open, it refuses before it looks at the signature.
        let (reply, opener) = try await retryingKey(
            scope, try record.serverPublicKey, besides: .secureVault
        ) { (key) async throws(PushError) -> (reply: HTTPReply, opener: ResponseOpener) in
            let (body, opener) = try encryptor(key, scope, call.uriID).seal(
                Secret(question.utf8), timestamp: await now(for: account.id))
            // Encrypted, then signed: the envelope as it is sent.
            return (try await signed(account, call, body: body.data, factors: factors), opener)
        }
        if reply.refusal == .secureVault {
            throw reply.error(
                .server(status: reply.status),
                "The server doesn't open the vault to these factors, or not for this reason.")
        }
        guard reply.isEnvelope else { throw await failure(reply, of: account, factors: factors) }
        return try opener.open(reply.object)
    }

    /// Runs an exchange that changes nothing at the server but the counter and the failed attempts,
    /// and asks for the status if its reply is lost: with the counters together, it may be repeated.
    func askAfterLostReply<Value: Sendable>(
        _ account: Account, _ exchange: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await exchange()
        } catch  where error.isReplyLost {
            _ = try? await status(of: account)
            throw error
        }
    }
}
