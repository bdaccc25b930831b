import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthChannel {
    /// Calls with the token `possession_universal`: reads, or registers for pushes.
    ///
    /// - Returns: The reply, whatever its status; a 401 that stays is one.
    /// - Throws: `PushError`, as ``TokenCall/reply()`` says.
    func sendWithToken(
        _ account: Account, _ path: String, body: Data
    ) async throws(PushError) -> HTTPReply {
        try await TokenCall(channel: self, account: account, path: path, body: body).reply()
    }
}

/// A call that a token proves: reading, and registering for pushes. It doesn't move the counter.
struct TokenCall: Sendable {
    let channel: PowerAuthChannel
    let account: Account
    let path: String
    let body: Data

    private var tokens: Tokens { Tokens(channel: channel, account: account) }
    private var configuration: PowerAuthConfiguration { channel.configuration }
    private var environment: PushEnvironment { channel.environment }

    /// Calls with the token `possession_universal`, which is made when there is none.
    ///
    /// A 401 of the server's own doesn't say what was wrong. So the state is asked for, and the
    /// time: if the activation is active, the call goes out again with the server's time, where
    /// the one that was sent was far off; and if that isn't it, with a new token, as a server that
    /// lost the old one says the same. Where a new token is refused, too, tokens aren't what is
    /// wrong, and no other is made until the activation's state has changed. A stranger's 401 says
    /// nothing.
    ///
    /// - Returns: The reply, whatever its status; a 401 that stays is one.
    /// - Throws: `PushError` with the code `blocked` or `unknownEnrollment` if the activation isn't
    ///   active.
    func reply() async throws(PushError) -> HTTPReply {
        let record = try await channel.active(account)
        let token = try await tokens.universal()
        let first = try await sendInTime(token, record)
        guard first.isAuthenticationRefusal else {
            if first.isServers, record.refusesTokens { try await note(refusesTokens: false) }
            return first
        }
        guard !record.refusesTokens else { return first }
        guard record.token != nil else {
            // It was made for this call.
            try await note(refusesTokens: true)
            return first
        }
        try await tokens.forget(token)
        _ = try await channel.active(account)
        let fresh = try await tokens.universal()
        let second = try await send(fresh, at: await channel.now(for: account.id))
        if second.isAuthenticationRefusal { try await note(refusesTokens: true) }
        return second
    }

    private func note(refusesTokens: Bool) async throws(PushError) {
        try await account.change { (record: inout PowerAuthRecord, _) in
            record.refusesTokens = refusesTokens
        }
    }

    /// Calls with a token, and after a 401 once more if the time was wrong.
    private func sendInTime(
        _ token: AccessToken, _ record: PowerAuthRecord
    ) async throws(PushError) -> HTTPReply {
        let time = await channel.now(for: account.id)
        let first = try await send(token, at: time)
        guard first.isAuthenticationRefusal else { return first }
        try await channel.requireActive(account)
        let serverKey = try record.serverPublicKey
        guard await channel.correctsTime(time, channel.scope(record), serverKey) else {
            return first
        }
        return try await send(token, at: await channel.now(for: account.id))
    }

    private func send(_ token: AccessToken, at time: Date) async throws(PushError) -> HTTPReply {
        let nonce = environment.random.array(AccessToken.nonceByteCount)
        let header = token.header(version: configuration.version, nonce: nonce, timestamp: time)
        return try await channel.post(path, body, proof: (AccessToken.headerName, header))
    }
}
