public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Activates where a code alone isn't enough, or where there is none.
public struct PowerAuthActivator: Sendable {
    private let authenticator: PushAuthenticator
    private let activations: Activations

    private var channel: PowerAuthChannel { activations.channel }

    /// Prepares activations.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin, as the authenticator's registry holds it.
    public init(_ authenticator: PushAuthenticator, provider: PowerAuth) {
        self.authenticator = authenticator
        activations = provider.activations
    }

    /// What an activation would join, for the user's consent. Nothing is sent.
    ///
    /// `PushAuthenticator.enroll(_:)` takes the offer as any other; ``activate(_:)`` does both, and
    /// tells what the server said beside it.
    ///
    /// - Throws: `PushError` with the code `invalidInvitation` if it's by a code that can't be
    ///   used, `invalidArgument` if an attribute, the method or the name can't be used.
    public func offer(for activation: PowerAuthActivation) throws(PushError) -> Invitation.Offer {
        try activations.offer(for: activation)
    }

    /// Activates the device: the user chooses a PIN, and what proves the user is spent by one
    /// exchange.
    ///
    /// - Returns: The enrollment, active or pending, and what the server said.
    /// - Throws: `PushError` with the codes of ``offer(for:)`` and of
    ///   `PushAuthenticator.enroll(_:)`. `invalidInvitation` if the server doesn't take it. After a
    ///   lost reply nothing is on record, and the reason says what to begin again.
    public func activate(
        _ activation: PowerAuthActivation
    ) async throws(PushError) -> PowerAuthActivationResult {
        let enrollment = try await authenticator.enroll(try offer(for: activation))
        let words = await channel.activationWords.take(for: enrollment.id)
        return PowerAuthActivationResult(
            enrollment: enrollment, customAttributes: words?.customAttributes,
            userInfo: words?.userInfo)
    }

    /// Begins a login at an identity provider.
    ///
    /// - Parameter providerID: The provider, as the server's owner names it.
    /// - Returns: What the user has to open.
    /// - Throws: `PushError` with the code `malformed` if the server's answer can't be used,
    ///   `untrusted` if it can't be opened, `server` if it knows no such provider,
    ///   `insecureRequest` if the provider's page has no TLS; what asking for a key throws.
    public func startLogin(at providerID: String) async throws(PushError) -> PowerAuthOIDCLogin {
        let question: JSON = ["providerId": .string(providerID)]
        let scope = channel.applicationScope
        let (reply, opener) = try await channel.retryingKey(
            scope, channel.configuration.application.masterKey
        ) { (key) async throws(PushError) -> (reply: HTTPReply, opener: ResponseOpener) in
            let (body, opener) = try channel.encryptor(
                key, scope, PowerAuthEncryptionScope.application.sharedInfo1
            ).seal(Secret(question.utf8), timestamp: await channel.now())
            let reply = try await channel.post(
                "/api/config/oidc", body.data,
                encryption: scope.header(channel.configuration.version))
            return (reply, opener)
        }
        guard reply.isEnvelope else { throw reply.error }
        let told = try HTTPReply(opened: try opener.open(reply.object)).value
        return try PowerAuthOIDCLogin(
            try OIDCConfiguration(told, of: providerID), random: channel.environment.random,
            // A server under development, and its provider with it.
            allowsClear: !channel.configuration.operationServer.isSecure)
    }
}

/// A new activation, and what the enrollment server said beside it.
public struct PowerAuthActivationResult: Sendable {
    /// The enrollment, active or pending.
    public let enrollment: Enrollment

    /// What the bank's own server made of ``PowerAuthActivation/customAttributes``; `nil` if it
    /// said nothing. It isn't kept.
    public let customAttributes: JSON.Object?

    /// What the server told of the user; `nil` if nothing. It isn't kept.
    public let userInfo: PowerAuthUserInfo?
}

extension HTTPReply {
    /// The words of the server inside an envelope, in the wrapping of plain calls.
    ///
    /// - Throws: `PushError` with the code `interrupted` if they can't be read.
    init(opened: Secret) throws(PushError) {
        try self.init(status: 200, body: opened.withBytes { Data($0) })
    }
}
