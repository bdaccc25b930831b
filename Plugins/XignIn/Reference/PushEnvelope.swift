import PushCore

/// A push that has the key `oxrw`, which makes it one of OXRW: nothing of it is proved.
struct PushEnvelope {
    /// The envelope's version.
    let version: JSON

    /// The token, if there is a text.
    let token: String?

    /// `nil` if the message hasn't this form.
    init?(_ message: PushMessage) {
        guard message.channel == .push, let version = message["oxrw"] else { return nil }
        self.version = version
        token = message["oxrw_msg"]?.string
    }
}
