/// What a manager's message is. Handle each of the three.
///
/// It is `Codable`, so that an app can keep it in a notification. When it comes back from there, only
/// its two identifiers count: everything else is read from the ledger again.
@nonexhaustive
public enum XignPushMessageResult: Hashable, Sendable, Codable {
    /// It starts a process.
    case authentication(XignPushMessageAuthentication)
    /// It ends a process: remove or replace its notification.
    case cancel(XignPushMessageCancel)
    /// It's genuine, but can't be executed by this version of the app.
    case incompatible(XignPushMessageIncompatible)

    /// Whether the app may drop it silently if it can't act on it now.
    public var isIgnorable: Bool {
        switch self {
        case .authentication(let message): message.isIgnorable
        case .cancel(let message): message.isIgnorable
        case .incompatible(let message): message.isIgnorable
        }
    }

    /// The process it is about.
    public var processId: String {
        switch self {
        case .authentication(let message): message.processId
        case .cancel(let message): message.processId
        case .incompatible(let message): message.processId
        }
    }

    /// The manager that sent it.
    public var idmIdentifier: String {
        switch self {
        case .authentication(let message): message.idmIdentifier
        case .cancel(let message): message.idmIdentifier
        case .incompatible(let message): message.idmIdentifier
        }
    }
}
