/// The one error the SDK throws.
///
/// Act on ``code``; log ``reason``. Neither holds a secret, nor anything a stranger sent; but the
/// code ``Code/decidedOtherwise(_:)`` holds what the user chose.
public struct PushError: Error {
    /// What went wrong, in terms an app can act on.
    public let code: Code

    /// A sentence for developers, never for users, that holds no secret and no received content.
    public let reason: String

    /// The provider that was at work, if one was.
    public let provider: ProviderID?

    /// Why the challenge is over, if the vendor provably said so; `nil` if it said no such thing.
    ///
    /// The core closes the challenge then, whatever the ``code``; a decision that is on its way
    /// stays.
    public let ends: Withdrawal.Reason?

    /// Which of several changes a store refused; `nil` if it says nothing of the kind.
    public var refusal: StoreRefusal? { refusals.first }

    /// At most one. A refusal may hold an error in turn, which only a list can hold.
    private let refusals: [StoreRefusal]

    /// The error that caused this one, such as a plugin's own or a parse failure: for logs.
    ///
    /// The core decides nothing by it. It isn't part of ``description``: what it prints is its
    /// author's choice.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - reason: A sentence for developers; put no secret and no received content into it.
    ///   - provider: The provider that was at work.
    ///   - ends: Why the challenge is over, if the vendor provably said so.
    ///   - refusal: Which of several changes a store refused.
    ///   - underlying: The error that caused this one.
    public init(
        _ code: Code, _ reason: String, provider: ProviderID? = nil,
        ends: Withdrawal.Reason? = nil, refusal: StoreRefusal? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.reason = reason
        self.provider = provider
        self.ends = ends
        refusals = refusal.map { [$0] } ?? []
        self.underlying = underlying
    }

    /// The same error, said of a provider, unless it already names one.
    public func attributed(to provider: ProviderID) -> PushError {
        guard self.provider == nil else { return self }
        return PushError(
            code, reason, provider: provider, ends: ends, refusal: refusal, underlying: underlying)
    }
}

extension PushError {
    /// What went wrong, in terms an app can act on.
    @nonexhaustive
    public enum Code: Hashable, Sendable {
        // MARK: What arrived

        /// The message or reply failed authentication. Never retry.
        case untrusted
        /// The bytes aren't what the protocol or the format asks for.
        case malformed
        /// It belongs to an enrollment that isn't on this device.
        case unknownEnrollment
        /// It belongs to an enrollment that was moved to another device. This one answers nothing and
        /// shows no code for it, until it is imported here.
        case movedAway
        /// It is genuine, but asks for something this version can't do.
        case unsupported

        // MARK: Enrolling

        /// The scanned or typed text isn't a usable invitation; the reason names the parameter.
        case invalidInvitation
        /// The invitation can't be used any more: it was used, perhaps by a request whose reply was
        /// lost, or its time is over. Ask for a new one.
        case invitationSpent
        /// The account already has an enrollment on this device.
        case alreadyEnrolled
        /// The vendor needs a device token, and the app hasn't given one yet.
        case missingDeviceToken

        // MARK: Answering

        /// The challenge is over: expired, cancelled, or answered.
        case over
        /// The resolution doesn't fit the challenge's prompt. Nothing was sent.
        case invalidResolution
        /// Another decision is on record for this challenge, and stands.
        case decidedOtherwise(Resolution)
        /// The vendor didn't take the answer, where only an error can say so.
        case notTaken(Outcome.Refusal)
        /// The user couldn't be verified. Nothing was sent.
        case verificationFailed
        /// The user or the caller gave up. Nothing was sent.
        case cancelled
        /// The enrollment is blocked, such as by a device policy; the reason names it.
        case blocked

        // MARK: Network

        /// Nothing reached the server. Safe to retry.
        case unreachable
        /// The server may have processed the request. Ask before retrying.
        case interrupted
        /// The server's certificate or host couldn't be trusted. Nothing was sent; never retry.
        case untrustedServer
        /// No certificate of the server's chain has a pinned key. Nothing was sent; never retried
        /// by itself.
        case pinMismatch
        /// The request breaks a rule of this client, such as plain HTTP. Nothing was sent.
        case insecureRequest
        /// The reply is larger than allowed. The server has processed the request.
        case oversizedReply
        /// The vendor lets nobody ask what waits. Pushes and answers go on; ``PushAuthenticator/poll(where:failed:)``
        /// doesn't ask again until the app asks for the enrollment
        /// (``PushAuthenticator/refresh(_:)``), or starts again.
        case listRefused
        /// The server replied with an HTTP status that the operation can't use.
        case server(status: Int)

        // MARK: App and store

        /// Two providers of one registry share an identifier.
        case duplicateProvider
        /// Nothing is known under this identifier, or no linked plugin handles it.
        case notFound
        /// Another writer changed the record first. The caller reads again.
        case conflict
        /// The store can't be used; the reason says why. Nothing has changed.
        case storage
        /// The store can't say whether a record has changed. The caller reads it again.
        case storageUnknown
        /// A record was written in a form that this version doesn't read. It was left as it is.
        case unsupportedRecord
        /// The system didn't take a notification; the reason says why.
        case notificationRefused
        /// An argument or a configuration value makes no sense; the reason names it.
        case invalidArgument
    }
}

extension PushError {
    /// Whether the server may have done what it was asked, and its word is lost: a connection that
    /// broke, or a reply that was too long to read.
    public var isReplyLost: Bool { code == .interrupted || code == .oversizedReply }
}

extension PushError: CustomStringConvertible {
    /// The code, the provider and the reason, on one line; not what the user chose or entered.
    public var description: String {
        let origin = provider.map { " (\($0.rawValue))" } ?? ""
        let name = if case .decidedOtherwise = code { "decidedOtherwise" } else { "\(code)" }
        return "\(name)\(origin): \(reason)"
    }
}

extension Result where Failure == PushError, Success: Sendable {
    /// Runs a throwing function and keeps what came of it.
    ///
    /// `Task`, task groups and continuations forget a typed error; a `Result` carries it through.
    public nonisolated(nonsending) init(
        catching body: nonisolated(nonsending) () async throws(PushError) -> Success
    ) async {
        do throws(PushError) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
