import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Activates the device: the user's part first, then the one exchange that spends the code.
///
/// A login's authorization code is spent by it, too. The vendor has no way to ask again for a reply that
/// was lost, so nothing is on record before; only the room for it is kept.
struct NewActivation: Sendable {
    let channel: PowerAuthChannel

    private var configuration: PowerAuthConfiguration { channel.configuration }
    private var environment: PushEnvironment { channel.environment }

    /// Makes an enrollment of an order and of what the user brought.
    func enrollment(
        _ order: ActivationOrder, _ evidence: [Evidence]
    ) async throws(PushError) -> Enrollment {
        if configuration.offersBiometry, let secret = evidence.biometricSecret {
            try BiometricLock.check(secret)
        }
        let pin = try await newPIN(evidence)
        let request = try ActivationRequest(
            order, otp: order.kind == .code ? activationOTP(evidence) : nil,
            from: environment)
        let (reply, openers) = try await channel.accounts.keepingRoom {
            () async throws(PushError) in
            try await exchange(request)
        }
        guard reply.isEnvelope else { throw refusal(reply, order.kind) }
        let account: Account
        do throws(PushError) {
            let answer = try ActivationReply(reply.object, openers)
            account = try await keep(answer, request, pin, evidence.biometricSecret)
            await channel.activationWords.keep(answer.words, for: account.id)
        } catch {
            throw PushError(
                error.code == .conflict ? .alreadyEnrolled : error.code,
                "\(error.reason) The server has made the activation, which nothing can use: have it "
                    + "removed there. What it took to activate is spent: \(order.kind.remedy)",
                underlying: error)
        }
        return await committed(account)
    }

    /// What the user chose, stretched before anything is sent.
    private func newPIN(_ evidence: [Evidence]) async throws(PushError) -> PINLock.Stretched {
        guard let pin = evidence.pin else {
            throw PushError(.verificationFailed, "An activation needs a PIN.")
        }
        return try await PINLock.Stretched(
            new: pin, configuration, random: environment.random)
    }

    private func activationOTP(_ evidence: [Evidence]) throws(PushError) -> Secret? {
        guard configuration.asksActivationOTP else { return nil }
        guard let otp = evidence.code else {
            throw PushError(.verificationFailed, "This activation needs an OTP.")
        }
        return otp
    }

    private func exchange(
        _ request: ActivationRequest
    ) async throws(PushError) -> (reply: HTTPReply, opener: ActivationReply.Openers) {
        let scope = channel.applicationScope
        return try await channel.retryingKey(scope, configuration.application.masterKey) {
            (key) async throws(PushError) -> (reply: HTTPReply, opener: ActivationReply.Openers) in
            // One key serves both; ephemeral keys and nonces differ.
            let time = await channel.now()
            let (data, inner) = try channel.encryptor(key, scope, "/pa/activation")
                .seal(request.inner, timestamp: time)
            let (body, outer) = try channel.encryptor(key, scope, "/pa/generic/application")
                .seal(request.outer(data), timestamp: time)
            let reply = try await create(body, request.order.kind)
            return (reply, ActivationReply.Openers(outer: outer, inner: inner))
        }
    }

    private func create(
        _ body: JSON, _ kind: ActivationOrder.Kind
    ) async throws(PushError) -> HTTPReply {
        let header = channel.applicationScope.header(configuration.version)
        do throws(PushError) {
            return try await channel.post(
                "/pa/v3/activation/create", body.data, proof: (EncryptionScope.headerName, header))
        } catch {
            let mayHaveArrived =
                if case .server = error.code { true } else { error.isReplyLost }
            guard mayHaveArrived else { throw error }
            throw lost(error, kind)
        }
    }

    /// What is true of a request whose reply isn't there.
    private func lost(_ error: PushError, _ kind: ActivationOrder.Kind) -> PushError {
        PushError(
            error.code,
            "\(error.reason) The server may have made the activation, and nothing brings its "
                + "reply back: \(kind.remedy)",
            underlying: error.underlying ?? error)
    }

    private func refusal(_ reply: HTTPReply, _ kind: ActivationOrder.Kind) -> PushError {
        guard let code = reply.refusal else { return lost(reply.error, kind) }
        guard code == .activation else { return reply.error }
        return reply.error(.invalidInvitation, kind.refusal)
    }

    private func keep(
        _ answer: ActivationReply, _ request: ActivationRequest, _ pin: PINLock.Stretched,
        _ biometricSecret: Secret?
    ) async throws(PushError) -> Account {
        let keys = try ActivationKeys(
            devicePrivateKey: request.deviceKey, serverPublicKey: answer.serverKey)
        let fingerprint = Fingerprint.digits(
            device: request.publicKey,
            activationID: answer.activationID, server: answer.serverKey)
        var locked = PowerAuthRecord.Locked(
            knowledge: try PINLock(keys.knowledge, under: pin), biometry: nil,
            // Only the server has the vault key from now on, and lends it to who proves two factors.
            deviceKey: Secret(
                try BlockCipher.encrypt(
                    request.privateKey, key: keys.vault, iv: BlockCipher.zeroIV, padding: true)))
        if configuration.offersBiometry, let biometricSecret {
            locked.biometry = try BiometricLock.lock(keys.biometry, under: biometricSecret)
        }
        let record = try PowerAuthRecord(
            activationID: answer.activationID, fingerprint: fingerprint,
            server: (answer.serverKey, answer.counter), keys: keys, locked: locked)
        let enrollment = Enrollment(
            id: Enrollment.ID(answer.activationID, of: channel.provider),
            host: configuration.operationServer.host,
            port: configuration.operationServer.port,
            state: .pending(.comparison(code: fingerprint)), created: environment.clock.now)
        // Each activation has a name of its own, which the server chose: nothing else must be
        // unique.
        let account = try await channel.accounts.create(enrollment, record)
        await channel.forgetUsable()
        return account
    }

    /// Asks whether the server has committed the activation at once, as with an OTP it may.
    private func committed(_ account: Account) async -> Enrollment {
        do throws(PushError) {
            return try await channel.status(of: account).enrollment
        } catch {
            channel.notice("A new activation's state couldn't be asked for.", at: account.id)
            return account.enrollment
        }
    }
}
