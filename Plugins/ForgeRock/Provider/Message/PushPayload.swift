import PushCore

/// The two texts of AM's push, wherever they stand in a message.
struct PushPayload {
    /// The identifier to echo in the answer. It stands outside the signature, so it proves nothing.
    let messageID: String

    /// The JWT.
    let token: String

    /// Looks into `aps`, then at the top level, then into the `data` of a whole FCM message;
    /// `message` before `data`.
    init?(_ message: PushMessage) {
        let found =
            message["aps"].flatMap(Self.init(in:)) ?? Self(in: message.content)
            ?? message["data"].flatMap(Self.init(in:))
        guard let found else { return nil }
        self = found
    }

    private init?(in place: JSON) {
        guard let messageID = place["messageId"]?.string, !messageID.isEmpty,
            let token = place["message"]?.string ?? place["data"]?.string, !token.isEmpty
        else { return nil }
        self.messageID = messageID
        self.token = token
    }
}
