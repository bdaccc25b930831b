import PushCore

/// What a message is by its shape alone; nothing of it is proved.
enum MessageForm {
    case push(PowerAuthPushMessage)
    case proximity(ProximityLink)
    case offline(OfflineCode)

    /// `nil` if it is none of this provider's.
    init?(_ message: PushMessage) {
        switch message.channel {
        case .push:
            guard let push = PowerAuthPushMessage(message) else { return nil }
            self = .push(push)
        case .scanned, .link:
            guard let text = message.content.string else { return nil }
            if message.channel == .scanned, let code = OfflineCode(text) {
                self = .offline(code)
            } else if let link = ProximityLink(
                text, type: message.channel == .link ? .deeplink : .qrCode)
            {
                self = .proximity(link)
            } else {
                return nil
            }
        default: return nil
        }
    }
}
