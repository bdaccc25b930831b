public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension SignedCall {
    static let removeToken = SignedCall(path: "/pa/v3/token/remove", uriID: "/pa/token/remove")
}

extension PowerAuthRequestBuilder {
    /// The name of the token that possession alone makes, `possession_universal`. The plugin makes it
    /// by itself.
    public static var universalToken: String { AccessToken.universalName }

    private static let nameSizes = 1...64

    /// A record has room for few secrets.
    private static let maximumTokens = 32

    private var tokens: Tokens { Tokens(channel: channel, account: account) }

    /// Proves with a token that the device sends a request: for reading, never for an order. A
    /// token's header covers neither the URL nor the body, so whoever can change a request on its
    /// way can have another done by it. The counter doesn't move.
    ///
    /// - Parameters:
    ///   - head: Method, URL and fields.
    ///   - body: The bytes that will be sent.
    ///   - name: The token's name. Servers take ``universalToken`` only where they say so, as it has
    ///     one factor.
    /// - Returns: The request, to send once.
    /// - Throws: `PushError` with the code `notFound` if there is no token of that name:
    ///   ``makeToken(_:factors:)`` comes first; `blocked` or `unknownEnrollment` if the activation
    ///   isn't active; what making the universal token throws.
    public func reading(
        _ head: HTTPRequest, body: Data = Data(), token name: String = universalToken
    ) async throws(PushError) -> PowerAuthRequest {
        let record = try await channel.active(account)
        let isUniversal = name == AccessToken.universalName
        guard let token = isUniversal ? try await tokens.universal() : record[token: name] else {
            throw PushError(.notFound, "There is no token of this name: make one.")
        }
        let time = await channel.now(for: account.id)
        let nonce = channel.environment.random.array(AccessToken.nonceByteCount)
        let version = channel.configuration.version
        var head = head
        try head.set(
            AccessToken.headerName, token.header(version: version, nonce: nonce, timestamp: time))
        return PowerAuthRequest(
            head: head, body: body, proof: .token(name, token, time: time), opener: nil)
    }

    /// Proves with a token that the device sends a request, and encrypts it.
    ///
    /// - Parameters:
    ///   - head: Method, which must be POST, URL and fields.
    ///   - body: The plain bytes; they may be empty.
    ///   - name: The token's name.
    ///   - scope: Whom it's encrypted for.
    /// - Returns: The request, to send once.
    /// - Throws: `PushError` with the codes of ``reading(_:body:token:)`` and
    ///   ``encrypted(_:body:scope:)``.
    public func readingEncrypted(
        _ head: HTTPRequest, body: Secret, token name: String = universalToken,
        scope: PowerAuthEncryptionScope = .activation
    ) async throws(PushError) -> PowerAuthRequest {
        let proved = try await reading(head, token: name)
        return try await encrypted(proved.head, body, scope, proof: proved.proof)
    }

    /// Makes a token that has the factors it's made with, in place of the one that had its name.
    ///
    /// The one before stays at the server until the activation ends, unless ``removeToken(_:)`` went
    /// before.
    ///
    /// - Parameters:
    ///   - name: A name of the app's own, of 1 to 64 bytes.
    ///   - factors: What the token proves from then on.
    /// - Throws: `PushError` with the code `invalidArgument` for another name, for
    ///   ``universalToken`` with other factors than possession, or for one name more than 32; `notTaken` with the attempts that are
    ///   left if a proof is wrong, `blocked` after the last one; what the exchange throws.
    public func makeToken(
        _ name: String, factors: PowerAuthFactors
    ) async throws(PushError) {
        guard Self.nameSizes ~= name.utf8.count,
            name != AccessToken.universalName || !factors.isCounted
        else {
            throw PushError(.invalidArgument, "A token can't have this name and these factors.")
        }
        let record = try await channel.active(account)
        guard
            record[token: name] != nil || record.namedTokens.count < Self.maximumTokens
        else {
            throw PushError(.invalidArgument, "An activation keeps 32 tokens: remove one first.")
        }
        try await tokens.keep(try await tokens.make(by: factors), named: name)
    }

    /// Removes a token at the server, then here. There may be none of that name.
    ///
    /// - Throws: `PushError` if the server didn't say yes; the token stays then, and removing it again
    ///   does no harm.
    public func removeToken(_ name: String) async throws(PushError) {
        let record = try await channel.active(account)
        guard let token = record[token: name] else { return }
        let body: JSON = ["requestObject": ["tokenId": .string(token.id)]]
        let reply = try await channel.signed(
            account, .removeToken, body: body.data, factors: .possession)
        guard reply.isSuccess else {
            throw await channel.failure(reply, of: account, factors: .possession)
        }
        try await tokens.forget(token, named: name)
    }
}
