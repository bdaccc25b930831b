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
        let places = [message["aps"], message.content, message["data"]]
        let found = places.lazy.compactMap { place -> PushPayload? in
            guard let place, let id = place["messageId"]?.string, !id.isEmpty,
                let token = place["message"]?.string ?? place["data"]?.string, !token.isEmpty
            else { return nil }
            return PushPayload(messageID: id, token: token)
        }
        guard let first = found.first else { return nil }
        self = first
    }

    private init(messageID: String, token: String) {
        self.messageID = messageID
        self.token = token
    }
}
