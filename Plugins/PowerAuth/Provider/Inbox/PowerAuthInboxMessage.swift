import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
