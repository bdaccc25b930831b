public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the server has on an activation beside its keys.
extension PowerAuthManager {
    /// The activation's name, as the server has it.
    ///
    /// Servers tell it by a token of two factors. The first time, and once the token is lost, the app's
    /// verifier is asked for the PIN or biometry to make one.
    ///
    /// - Throws: `PushError`: `cancelled` or `verificationFailed` if the user can't be verified,
    ///   `notTaken` with the attempts that are left if a proof is wrong, `blocked` after the last one;
    ///   `unreachable`, `interrupted` or `server` if the server couldn't be asked; `untrusted` or
    ///   `malformed` if its reply doesn't hold; `unknownEnrollment` if there is no such activation,
    ///   `storage` if the token can't be kept.
    public func detail() async throws(PushError) -> PowerAuthActivationDetail {
        try await turn { (channel, account) async throws(PushError) -> PowerAuthActivationDetail in
            try await ProfileCalls(channel: channel, account: account).detail()
        }
    }

    /// Gives the activation another name. The app's verifier is asked for the PIN or biometry.
    ///
    /// - Parameter name: 1 to 128 bytes without control characters.
    /// - Returns: What the server has now.
    /// - Throws: `PushError` with the code `invalidArgument` for another name, else the codes of
    ///   ``detail()``. After a lost reply it may be named again: that does no harm.
    @discardableResult
    public func rename(to name: String) async throws(PushError) -> PowerAuthActivationDetail {
        let checked = try ActivationOrder.checked(name: name)
        return try await turn {
            (channel, account) async throws(PushError) -> PowerAuthActivationDetail in
            try await ProfileCalls(channel: channel, account: account).rename(to: checked)
        }
    }

    /// What the server's owner tells of the user: data to show, which may be empty, and no proof of who
    /// the user is.
    ///
    /// - Throws: `PushError`: `unreachable`, `interrupted` or `server` if the server couldn't be asked or
    ///   doesn't tell, `untrusted` or `malformed` if its reply doesn't hold, `blocked` or
    ///   `unknownEnrollment` if the activation isn't active.
    public func userInfo() async throws(PushError) -> PowerAuthUserInfo {
        try await turn { (channel, account) async throws(PushError) -> PowerAuthUserInfo in
            try await ProfileCalls(channel: channel, account: account).userInfo()
        }
    }
}

extension SignedCall {
    static let rename = SignedCall(
        path: "/pa/v3/activation/rename", uriID: "/pa/activation/rename")
}

/// The calls about an activation's name and its user: encrypted, each proved in its own way.
struct ProfileCalls: Sendable {
    let channel: PowerAuthChannel
    let account: Account

    private static let tokenName = "activation_detail"

    private var tokens: Tokens { Tokens(channel: channel, account: account) }

    func detail() async throws(PushError) -> PowerAuthActivationDetail {
        let record = try await channel.active(account)
        let token = try await token(record)
        let time = await channel.now(for: account.id)
        let (reply, opener) = try await exchange(
            record, "/pa/v3/activation/detail", Secret("{}".utf8)
        ) { (body) async throws(PushError) -> HTTPReply in
            let nonce = channel.environment.random.array(AccessToken.nonceByteCount)
            let proof = token.header(
                version: channel.configuration.version, nonce: nonce, timestamp: time)
            return try await channel.post(
                "/pa/v3/activation/detail", body, proof: (AccessToken.headerName, proof),
                encryption: header(record))
        }
        if reply.isAuthenticationRefusal {
            throw await tokens.failure(reply, of: token, named: Self.tokenName, sentAt: time)
        }
        guard reply.isEnvelope else { throw reply.error }
        let told = try HTTPReply(opened: try opener.open(reply.object)).value
        return try PowerAuthActivationDetail(told, of: record.activationID)
    }

    func rename(to name: String) async throws(PushError) -> PowerAuthActivationDetail {
        let record = try await channel.active(account)
        let factors = try await channel.twoFactors(of: account, to: "rename the activation")
        let plain: JSON = ["activationName": .string(name)]
        let (reply, opener) = try await channel.askAfterLostReply(account) {
            () async throws(PushError) -> (reply: HTTPReply, opener: ResponseOpener) in
            try await exchange(record, SignedCall.rename.path, Secret(plain.utf8)) {
                (body) async throws(PushError) -> HTTPReply in
                try await channel.prepareToSign(account)
                // Signed as it is, then encrypted: servers verify what they have decrypted.
                let (header, _) = try await channel.signature(
                    of: SignedData(.rename, plain.data), for: account, factors)
                return try await channel.send(
                    header, of: account, to: SignedCall.rename.path, body: body)
            }
        }
        guard reply.isEnvelope else {
            throw await channel.failure(reply, of: account, factors: factors)
        }
        let told = try HTTPReply(opened: try opener.open(reply.object)).value
        return try PowerAuthActivationDetail(told, of: record.activationID)
    }

    func userInfo() async throws(PushError) -> PowerAuthUserInfo {
        let record = try await channel.active(account)
        let (reply, opener) = try await exchange(
            record, "/pa/v3/user/info", Secret("{}".utf8)
        ) { (body) async throws(PushError) -> HTTPReply in
            try await channel.post("/pa/v3/user/info", body, encryption: header(record))
        }
        guard reply.isEnvelope else { throw reply.error }
        let opened = try opener.open(reply.object)
        let claims = try opened.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: bytes, limits: JSON.Limits(bytes: HTTPReply.maximumSize))
        }
        guard let members = claims.object else {
            throw PushError(.malformed, "The reply tells nothing of a user.")
        }
        return PowerAuthUserInfo(claims: members)
    }

    /// Seals a body in the activation's scope, and sends it: once more where the server couldn't open
    /// it, as it has done nothing then.
    private func exchange(
        _ record: PowerAuthRecord, _ path: String, _ plain: Secret,
        _ send: (Data) async throws(PushError) -> HTTPReply
    ) async throws(PushError) -> (reply: HTTPReply, opener: ResponseOpener) {
        let scope = channel.scope(record)
        return try await channel.retryingKey(scope, try record.serverPublicKey) {
            (key) async throws(PushError) -> (reply: HTTPReply, opener: ResponseOpener) in
            let (body, opener) = try channel.encryptor(
                key, scope, PowerAuthEncryptionScope.activation.sharedInfo1
            ).seal(plain, timestamp: await channel.now(for: account.id))
            return (try await send(body.data), opener)
        }
    }

    private func header(_ record: PowerAuthRecord) -> String {
        channel.scope(record).header(channel.configuration.version)
    }

    private func token(_ record: PowerAuthRecord) async throws(PushError) -> AccessToken {
        if let token = record[token: Self.tokenName] { return token }
        let factors = try await channel.twoFactors(of: account, to: "read the activation's name")
        let made = try await tokens.make(by: factors)
        try await tokens.keep(made, named: Self.tokenName)
        return made
    }
}
