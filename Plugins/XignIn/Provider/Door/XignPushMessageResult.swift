public import PushCore

/// What a manager's message is. Handle each of the three.
///
/// It is `Codable`, so that an app can keep it in a notification. When it comes back from there,
/// only its two identifiers count: everything else is read from the ledger again.
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

/// A message that starts a process.
public struct XignPushMessageAuthentication: Hashable, Sendable, Codable {
    /// Whether the app may drop it silently if it can't act on it now.
    public let isIgnorable: Bool

    /// The process. With ``idmIdentifier`` it names the notification to take away on a cancel.
    public let processId: String

    /// The manager that sent it.
    public let idmIdentifier: String

    /// The title that the manager recommends, made safe to show.
    public let title: String?

    /// The text that the manager recommends, made safe to show.
    public let message: String?

    private let priorityName: String

    private enum CodingKeys: String, CodingKey {
        case isIgnorable, processId, idmIdentifier, title, message
        case priorityName = "priority"
    }

    /// How urgent it is, for display alone.
    public var priority: XignPushMessagePriority { .init(rawValue: priorityName) ?? .unspecified }

    init(_ notice: Notice) {
        isIgnorable = notice.isIgnorable
        processId = notice.id.name
        idmIdentifier = notice.id.enrollment.name
        title = notice.title
        message = notice.body
        priorityName = notice.priority.rawValue
    }
}

/// How urgent a manager says a message is, in the core's terms; `unspecified` where the manager
/// doesn't say, or says it in words that this version doesn't know.
///
/// It is for display, such as the choice of an icon. Even a low one is to be shown at once, as most
/// processes live only for a short time.
public typealias XignPushMessagePriority = Notice.Priority

/// A message that is meant for this device, but that only another version of the app can execute.
public struct XignPushMessageIncompatible: Hashable, Sendable, Codable {
    /// Whether the user needn't hear of it.
    public let isIgnorable: Bool

    /// The process.
    public let processId: String

    /// The manager that sent it.
    public let idmIdentifier: String

    /// What the manager wanted.
    public let messageType: XignPushMessageType?

    /// The least version of the protocol that can execute it, as the manager wrote it.
    public let minSmartDeviceApi: String?

    init(_ incompatible: PushEvent.Incompatible) {
        isIgnorable = incompatible.isIgnorable
        processId = incompatible.id.name
        idmIdentifier = incompatible.id.enrollment.name
        messageType = XignPushMessageType(name: incompatible.kind)
        minSmartDeviceApi = incompatible.minimumVersion
    }
}

/// What a manager wanted with a message that can't be executed here.
public enum XignPushMessageType: Hashable, Sendable, Codable {
    /// To start an authentication.
    case authentication
    /// To cancel a process.
    case cancel
    /// Something newer, under the manager's name for it.
    case unknown(String)

    /// Reads the manager's name.
    package init(name: String) {
        self =
            switch name {
            case "authentication": .authentication
            case "cancel": .cancel
            default: .unknown(name)
            }
    }

    /// The manager's name.
    var name: String {
        switch self {
        case .authentication: "authentication"
        case .cancel: "cancel"
        case .unknown(let name): name
        }
    }
}
