public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The messages that the server keeps for the user of one activation, and that ask nothing.
///
/// Each call waits for the enrollment's turn, so don't make a call inside a turn.
///
/// Every call throws `PushError`: `server` with the status if the server refuses, and the
/// ``PowerAuthErrorCode`` as its `underlying`; `blocked` or `unknownEnrollment` if the activation
/// isn't active.
public struct PowerAuthInbox: Sendable {
    private let authenticator: PushAuthenticator
    private let activations: Activations
    private let enrollment: Enrollment.ID

    /// Opens the inbox of an enrollment.
    ///
    /// - Parameters:
    ///   - authenticator: The authenticator that has the enrollment.
    ///   - provider: The provider, as the authenticator has it.
    ///   - enrollment: The enrollment.
    /// - Throws: `PushError` with the code `invalidArgument` if it is another provider's.
    public init(
        _ authenticator: PushAuthenticator, provider: PowerAuth, enrollment: Enrollment.ID
    ) throws(PushError) {
        guard enrollment.provider == provider.id else {
            throw PushError(
                .invalidArgument, "The enrollment is another provider's.", provider: provider.id)
        }
        self.authenticator = authenticator
        self.enrollment = enrollment
        activations = provider.activations
    }

    /// How many messages weren't read yet.
    ///
    /// - Returns: The number that the server counts.
    /// - Throws: `PushError`: `server`, `blocked` or `unknownEnrollment` as above; `unreachable` or
    ///   `interrupted` if the server wasn't reached.
    public func countUnread() async throws(PushError) -> Int {
        try await authenticator.turn(of: enrollment) { () async throws(PushError) in
            try await activations.countUnread(of: enrollment)
        }
    }

    /// One page of the messages, in the server's order and without their bodies. Messages that
    /// can't be read are left out.
    ///
    /// - Parameters:
    ///   - page: The number of the page, from 0.
    ///   - size: How many messages a page has, at least 1.
    ///   - onlyUnread: Whether to leave out what was read.
    /// - Returns: The messages of the page.
    /// - Throws: `PushError`: `invalidArgument` for a page that can't be, else with the codes of
    ///   ``countUnread()``.
    public func messages(
        page: Int = 0, size: Int = 50, onlyUnread: Bool = false
    ) async throws(PushError) -> [PowerAuthInboxMessage] {
        guard page >= 0, size >= 1 else {
            throw PushError(
                .invalidArgument, "Pages are counted from 0, and hold a message at least.",
                provider: enrollment.provider)
        }
        let part = InboxPage(number: page, size: size, onlyUnread: onlyUnread)
        return try await authenticator.turn(of: enrollment) { () async throws(PushError) in
            try await activations.list(part, of: enrollment).messages
        }
    }

    /// One message with its body.
    ///
    /// - Throws: `PushError`, with the codes of ``countUnread()``; `malformed` if the message can't
    ///   be read.
    public func message(_ id: String) async throws(PushError) -> PowerAuthInboxMessage {
        try await authenticator.turn(of: enrollment) { () async throws(PushError) in
            try await activations.message(id, of: enrollment)
        }
    }

    /// Counts a message as read.
    ///
    /// - Throws: `PushError`, with the codes of ``countUnread()``.
    public func markRead(_ id: String) async throws(PushError) {
        try await authenticator.turn(of: enrollment) { () async throws(PushError) in
            try await activations.markRead(id, of: enrollment)
        }
    }

    /// Counts every message as read.
    ///
    /// - Throws: `PushError`, with the codes of ``countUnread()``.
    public func markAllRead() async throws(PushError) {
        try await authenticator.turn(of: enrollment) { () async throws(PushError) in
            try await activations.markAllRead(of: enrollment)
        }
    }
}

/// A message that the server keeps for the user, under the documented names; untrusted texts.
public struct PowerAuthInboxMessage: Hashable, Sendable, Identifiable {
    /// What a body is written in.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// `text`: plain text.
        case text
        /// `html`: a page that a stranger may have written. Show it in a view without scripts,
        /// without network and without the app's data, or not at all.
        case html
        /// A form that this version doesn't know, as it came. Show nothing of the body.
        case unknown(String)

        init(_ text: String) {
            switch text {
            case "text": self = .text
            case "html": self = .html
            default: self = .unknown(text)
            }
        }
    }

    /// The identifier, opaque.
    public let id: String

    /// What the body is written in.
    public let type: Kind

    /// What it is about.
    public let subject: String

    /// What it says, in short.
    public let summary: String?

    /// What it says, written in ``type``; `nil` in a list.
    public let body: String?

    /// Whether the server counts it as read.
    public let read: Bool

    /// When it was made, by the server's clock.
    public let timestampCreated: Date

    /// Reads a message.
    ///
    /// - Throws: `PushError` with the code `malformed` if something required is missing.
    init(_ json: JSON) throws(PushError) {
        let members = try MemberReader(json)
        id = try members.text("id")
        type = Kind(try members.optionalText("type") ?? "text")
        subject = try members.text("subject")
        summary = members["summary"]?.string
        body = members["body"]?.string
        read = try members.flag("read")
        guard let date = ServerDate.date(try members.text("timestampCreated")) else {
            throw PushError(.malformed, "The date of a message can't be read.")
        }
        timestampCreated = date
    }
}

extension PowerAuthInboxMessage {
    /// Reads the reply to a question for one message. The documents show an array of one, servers
    /// send the object.
    init(detail json: JSON) throws(PushError) {
        if let array = json.array {
            guard array.count == 1 else {
                throw PushError(.malformed, "The server sent not one message.")
            }
            try self.init(array[0])
        } else {
            try self.init(json)
        }
    }

    /// Whether the body is a page that must not be trusted: see ``Kind/html``.
    public var isUntrustedHTML: Bool { type == .html }
}
