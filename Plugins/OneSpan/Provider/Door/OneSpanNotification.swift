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
    /// - Throws: `PushError` with the code `malformed` if it isn't one of OneSpan's.
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
