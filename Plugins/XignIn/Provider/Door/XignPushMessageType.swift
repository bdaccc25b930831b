/// What a manager wanted with a message that can't be executed here.
public enum XignPushMessageType: Hashable, Sendable, Codable {
    /// To start an authentication.
    case authentication
    /// To cancel a process.
    case cancel
    /// Something newer, under the manager's name for it.
    case unknown(String)

    /// Reads the manager's name.
    public init(name: String) {
        self =
            switch name {
            case "authentication": .authentication
            case "cancel": .cancel
            default: .unknown(name)
            }
    }
}
