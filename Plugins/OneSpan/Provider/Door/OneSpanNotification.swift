public import PushCore

/// The receiving half of OneSpan's Notification SDK, under its names.
///
/// It reads a notification in our open form; a notification of OneSpan's own form is parsed by
/// OneSpan's SDK, and its command handed to
/// ``OneSpanOrchestrator/execute(_:)-(OrchestrationCommand)``. Title, subject, badge and attributes
/// are unauthenticated: show them, and decide nothing by them.
public enum OneSpanNotification {
    /// Whether a notification is one of OneSpan's.
    public static func isOneSpanNotification(_ message: PushMessage) -> Bool {
        message.channel == .push && PushPayload(message) != nil
    }

    /// The command that a notification carries.
    ///
    /// - Throws: `PushError`: `malformed` if it isn't one of OneSpan's.
    public static func parseOneSpanNotification(
        _ message: PushMessage
    ) throws(PushError) -> OrchestrationCommand {
        try payload(message).command
    }

    /// The title; `nil` if it has none.
    ///
    /// - Throws: `PushError`, as ``parseOneSpanNotification(_:)``.
    public static func getTitle(_ message: PushMessage) throws(PushError) -> String? {
        try payload(message).title ?? message["aps"]?["alert"]?["title"]?.string
    }

    /// The subject; `nil` if it has none.
    ///
    /// - Throws: `PushError`, as ``parseOneSpanNotification(_:)``.
    public static func getSubject(_ message: PushMessage) throws(PushError) -> String? {
        try payload(message).subject ?? message["aps"]?["alert"]?["body"]?.string
    }

    /// The number for the app's icon; `nil` if the notification sets none.
    ///
    /// - Throws: `PushError`, as ``parseOneSpanNotification(_:)``.
    public static func getBadgeValue(_ message: PushMessage) throws(PushError) -> Int? {
        _ = try payload(message)
        return message["aps"]?["badge"]?.integer.flatMap {
            (0...99_999).contains($0) ? Int($0) : nil
        }
    }

    /// What the sender added; empty if nothing.
    ///
    /// - Throws: `PushError`, as ``parseOneSpanNotification(_:)``.
    public static func getCustomAttributes(
        _ message: PushMessage
    ) throws(PushError) -> [String: String] {
        try payload(message).attributes
    }

    private static func payload(_ message: PushMessage) throws(PushError) -> PushPayload {
        guard message.channel == .push, let payload = PushPayload(message) else {
            throw PushError(.malformed, "Not a notification of OneSpan's.")
        }
        return payload
    }
}

/// A push of our open form, or a command that came as text: nothing of it is proved.
///
/// The keys inside OneSpan's own notifications aren't published: its Notification SDK parses them,
/// and the app hands the command on as a relayed text.
struct PushPayload {
    /// The shortest text that may be a command where nothing else marks it, in characters: a QR code
    /// that holds a number isn't one.
    static let textMinimum = 64

    let command: OrchestrationCommand
    let title: String?
    let subject: String?
    let attributes: [String: String]

    /// `nil` if the message hasn't this form.
    init?(_ message: PushMessage) {
        guard message.channel == .push else {
            guard let text = message.content.string, text.utf8.count >= Self.textMinimum,
                let command = try? OrchestrationCommand(text)
            else { return nil }
            self.command = command
            (title, subject, attributes) = (nil, nil, [:])
            return
        }
        guard let oos = Self.object(in: message), oos["v"]?.integer == 1,
            let text = oos["content"]?.string,
            text.utf8.count <= 2 * OrchestrationCommand.pushLimit,
            let command = try? OrchestrationCommand(text)
        else { return nil }
        var attributes: [String: String] = [:]
        if let found = oos["attributes"] {
            guard let members = found.object?.members else { return nil }
            for (name, value) in members {
                guard let value = value.string else { return nil }
                attributes[name] = value
            }
        }
        self.command = command
        self.attributes = attributes
        title = oos["title"]?.string
        subject = oos["subject"]?.string
    }

    /// Firebase carries strings alone, so the object is JSON in one there.
    private static func object(in message: PushMessage) -> JSON? {
        switch message["oos"] {
        case .object(let object)?: .object(object)
        case .string(let text)?: try? JSON(parsing: text)
        default: nil
        }
    }
}
