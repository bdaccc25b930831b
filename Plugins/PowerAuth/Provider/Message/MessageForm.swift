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

extension String {
    /// Whether it has the form of a UUID (RFC 9562 section 4), in either case: operations are named
    /// so wherever nobody vouches for the name.
    var hasUUIDForm: Bool {
        let parts = utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.joined().allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
                default: false
                }
            }
    }
}
