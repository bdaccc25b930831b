/// The one error the SDK throws.
///
/// Act on ``code``; log ``reason``. Both are free of secrets and of strangers' texts; only the code
/// ``Code/decidedOtherwise(_:)`` holds what the user chose.
public struct PushError: Error {
    /// What went wrong, in terms an app can act on.
    public var code: Code { content.value.code }

    /// A sentence for developers, not for users, without secrets and received content.
    public var reason: String { content.value.reason }

    /// The provider that was at work, if one was.
    public var provider: ProviderID? { content.value.provider }

    /// Why the challenge is over, if the vendor provably said so.
    ///
    /// The core then closes the challenge, whatever the ``code``; it keeps a decision that is on
    /// its way.
    public var ends: WithdrawalReason? { content.value.ends }

    /// The record as it is, if a store that refused a write tells: it spares a read.
    public var found: (value: Secret, revision: Revision)? { content.value.found }

    /// The error that caused this one, such as a plugin's own or a parse failure: for logs.
    ///
    /// The core decides nothing by it. ``description`` leaves it out, because what it prints is its
    /// author's choice.
    public var underlying: (any Error)? { content.value.underlying }

    /// All of it behind one reference: every function that throws passes it on.
    private let content: Shared<Content>

    private struct Content {
        let code: Code
        let reason: String
        let provider: ProviderID?
        let ends: WithdrawalReason?
        let found: (value: Secret, revision: Revision)?
        let underlying: (any Error)?
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - reason: A sentence for developers, without secrets and received content.
    ///   - provider: The provider that was at work.
    ///   - ends: Why the challenge is over, if the vendor provably said so.
    ///   - found: The record as it is, of a store that refused a write.
    ///   - underlying: The error that caused this one.
    @inline(never) public init(
        _ code: Code, _ reason: String, provider: ProviderID? = nil,
        ends: WithdrawalReason? = nil, found: (value: Secret, revision: Revision)? = nil,
        underlying: (any Error)? = nil
    ) {
        content = Shared(
            Content(
                code: code, reason: reason, provider: provider, ends: ends, found: found,
                underlying: underlying))
    }

    /// The same error with a provider, unless it names one already.
    public func attributed(to provider: ProviderID) -> PushError {
        guard self.provider == nil else { return self }
        return PushError(
            code, reason, provider: provider, ends: ends, found: found, underlying: underlying)
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
        /// It belongs to an enrollment that was moved to another device. Until it is imported here
        /// again, this device answers nothing for it and shows no code.
        case movedAway
        /// It is genuine, but this version can't do what it asks.
        case unsupported

        // MARK: Enrolling

        /// The scanned or typed text isn't a usable invitation; the reason names the parameter.
        case invalidInvitation
        /// The invitation has expired or was used, perhaps by a request whose reply was lost. Ask
        /// for a new one.
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
        /// Another decision is on record for this challenge and stands.
        case decidedOtherwise(Resolution)
        /// The vendor didn't take the answer, told where no outcome is returned.
        case notTaken(Outcome.Refusal)
        /// The user couldn't be verified. Nothing was sent.
        case verificationFailed
        /// The user or the caller gave up. Nothing was sent.
        case cancelled
        /// The enrollment is blocked, such as by a device policy that the reason names.
        case blocked
        /// A guard is locked, and nobody was asked to open it. Nothing was sent. Answer, or run it in
        /// ``PushAuthenticator/withOpenGuards(of:title:_:)``.
        case locked
        /// Nothing opens the guard any more, such as after a change of the fingers. Give the PIN
        /// where the vendor takes one; else enroll again.
        case guardLost

        // MARK: Network

        /// The server did nothing: it wasn't reached, or says that it is busy. Safe to retry.
        case unreachable
        /// The server may have processed the request. Ask before retrying.
        case interrupted
        /// The server's certificate or host couldn't be trusted. Nothing was sent; never retry.
        case untrustedServer
        /// No certificate of the server's chain has a pinned key. Nothing was sent; the SDK doesn't
        /// retry by itself.
        case pinMismatch
        /// The request breaks a rule of this client, such as plain HTTP. Nothing was sent.
        case insecureRequest
        /// The reply is larger than allowed. The server has processed the request.
        case oversizedReply
        /// The vendor forbids listing. Pushes and answers still work; polling stops until
        /// ``PushAuthenticator/refresh(_:)`` or the next start.
        case listRefused
        /// The server replied with an HTTP status that the operation can't use.
        case server(status: Int)

        // MARK: App and store

        /// Two providers of one registry share an identifier.
        case duplicateProvider
        /// The identifier is unknown, or no linked plugin handles it.
        case notFound
        /// Another writer changed the record first. Read it again.
        case conflict
        /// The store can't be used; the reason says why. Nothing has changed.
        case storage
        /// The store can't say whether the record has changed. Read it again.
        case storageUnknown
        /// A record has a form that this version doesn't read. It was left as it is.
        case unsupportedRecord
        /// The system refused a notification; the reason says why.
        case notificationRefused
        /// An argument or a configuration value makes no sense; the reason names it.
        case invalidArgument
    }
}

extension PushError {
    /// Whether the server may have done what it was asked, but its reply is lost: the connection
    /// broke, or the reply was too long to read.
    public var isReplyLost: Bool { code == .interrupted || code == .oversizedReply }
}

extension PushError: CustomStringConvertible {
    /// The code, the provider and the reason on one line, without the user's choice.
    public var description: String {
        let origin = provider.map { " (\($0.rawValue))" } ?? ""
        let name = if case .decidedOtherwise = code { "decidedOtherwise" } else { "\(code)" }
        return "\(name)\(origin): \(reason)"
    }
}

extension Result where Failure == PushError, Success: Sendable {
    /// Runs a throwing function and keeps its value or error.
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

/// A value that its copies share.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A large value, or none, behind one reference: whatever holds it is copied by one step.
@propertyWrapper
struct Boxed<Value: Sendable>: Sendable {
    private var content: Shared<Value>?

    init(wrappedValue: Value?) { content = wrappedValue.map(Shared.init) }

    var wrappedValue: Value? {
        get { content?.value }
        set { content = newValue.map(Shared.init) }
    }
}
