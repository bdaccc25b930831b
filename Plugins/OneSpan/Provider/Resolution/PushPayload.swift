import PushCore

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
