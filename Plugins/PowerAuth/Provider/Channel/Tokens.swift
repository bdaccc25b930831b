import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An activation's tokens: making, keeping and forgetting them.
struct Tokens: Sendable {
    let channel: PowerAuthChannel
    let account: Account

    private var configuration: PowerAuthConfiguration { channel.configuration }
    private var environment: PushEnvironment { channel.environment }

    /// The token `possession_universal`, which is made and kept if there is none.
    func universal() async throws(PushError) -> AccessToken {
        if let token = try account.record.token { return token }
        let made = try await make(by: .possession)
        return try await account.change { (record: inout PowerAuthRecord, _) in
            // Another process may have been first: one token serves both.
            if let token = record.token { return token }
            record.token = made
            return made
        }
    }

    /// Makes a token; where possession alone signs, once more if the signature wasn't what was wrong,
    /// as possession costs no attempt.
    func make(by factors: PowerAuthFactors) async throws(PushError) -> AccessToken {
        let sent = environment.clock.elapsed
        var (reply, opener) = try await ask(factors)
        if reply.isAuthenticationRefusal, !factors.isCounted {
            let status = try await channel.status(of: account)
            guard status.clearsProof, status.enrollment.state == .active else {
                throw channel.failure(reply, at: status, factors: factors)
            }
            (reply, opener) = try await ask(factors)
        }
        guard reply.isEnvelope else {
            throw await channel.failure(reply, of: account, factors: factors)
        }
        let opened = try opener.open(reply.object)
        // Covered by the envelope's code, from 3.2 on.
        if configuration.version != .v3_1,
            let time = reply.object["timestamp"]?.integer, 0...Date.lastMillisecond ~= time
        {
            await channel.note(signed: Date(unixMilliseconds: time), for: account.id, sent: sent)
        }
        return try AccessToken(reading: opened)
    }

    private func ask(
        _ factors: PowerAuthFactors
    ) async throws(PushError) -> (reply: HTTPReply, opener: ResponseOpener) {
        let record = try account.record
        let scope = channel.scope(record)
        let call = SignedCall.createToken
        return try await channel.retryingKey(scope, try record.serverPublicKey) {
            (key) async throws(PushError) -> (reply: HTTPReply, opener: ResponseOpener) in
            let (body, opener) = try channel.encryptor(key, scope, call.uriID).seal(
                Secret("{}".utf8), timestamp: await channel.now(for: account.id))
            // Encrypted, then signed: the envelope as it is sent.
            let reply = try await channel.signed(account, call, body: body.data, factors: factors)
            return (reply, opener)
        }
    }

    /// Keeps a token, in place of the one that had its name.
    func keep(_ token: AccessToken, named name: String) async throws(PushError) {
        try await account.change { (record: inout PowerAuthRecord, _) in
            record[token: name] = token
        }
    }

    /// Forgets a token, unless another has its name meanwhile.
    func forget(
        _ token: AccessToken, named name: String = AccessToken.universalName
    ) async throws(PushError) {
        try await account.change { (record: inout PowerAuthRecord, _) in
            guard let known = record[token: name],
                known.id.utf8.elementsEqual(token.id.utf8)
            else { return }
            record[token: name] = nil
        }
    }

    /// What the refusal of a token comes to: the time is corrected where it was wrong, else the token
    /// is forgotten.
    func failure(
        _ refusal: HTTPReply, of token: AccessToken, named name: String, sentAt time: Date
    ) async -> PushError {
        do throws(PushError) {
            try await channel.requireActive(account)
            let record = try account.record
            let scope = channel.scope(record)
            if await channel.correctsTime(time, scope, try record.serverPublicKey) {
                return refusal.error(
                    .server(status: 401), "The time was wrong: build the request again.")
            }
            try await forget(token, named: name)
        } catch {
            return error
        }
        return refusal.error(
            .server(status: 401),
            "The token was refused, and is forgotten: build the request again.")
    }
}
