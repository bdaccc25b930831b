#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A message as it arrived: untrusted, and parsed once by the strict reader.
public struct PushMessage: Sendable {
    /// How a message came.
    @nonexhaustive
    public enum Channel: Hashable, Sendable {
        /// By Apple's or Google's push service.
        case push
        /// By the camera: the text of a QR code.
        case scanned
        /// By a link that opened the app.
        case link
        /// From the app, by a channel of its own.
        case relayed
    }

    /// How the message came.
    public let channel: Channel

    /// An object for a push; a string for a scanned text or a link.
    public let content: JSON

    /// Creates a message from the JSON text of a push payload.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it isn't one strict JSON object.
    public init(json: Data, limits: JSON.Limits = JSON.Limits()) throws(PushError) {
        try self.init(payload: JSON(parsing: json, limits: limits))
    }

    /// Creates a message from the JSON text of a push payload, such as a line that was read.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it isn't one strict JSON object.
    public init(json: String, limits: JSON.Limits = JSON.Limits()) throws(PushError) {
        try self.init(payload: JSON(parsing: json, limits: limits))
    }

    init(payload content: JSON) throws(PushError) {
        guard content.object != nil else {
            throw PushError(.malformed, "A push payload must be a JSON object.")
        }
        self.content = content
        channel = .push
    }

    /// Creates a message from the data of a Firebase message, as its SDK hands it to the app.
    public init(fcm data: [String: String]) {
        content = .object(JSON.Object(data.map { ($0.key, .string($0.value)) }))
        channel = .push
    }

    /// Creates a message from a text that was scanned, opened as a link, or relayed by the app.
    public init(text: String, by channel: Channel) {
        content = .string(text)
        self.channel = channel
    }

    /// A top-level member of a push.
    public subscript(name: String) -> JSON? { content[name] }
}
