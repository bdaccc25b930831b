public import PushCore

/// The extras of one push, under the names that the vendor's page "Used Push Message Extras" gives
/// them.
///
/// No push is signed, so anybody may have written what stands here. It is a reason to ask the
/// server: don't show it as a fact, and don't act on it.
///
/// The extras are top-level members, beside Apple's own `aps` or in Firebase's data. A server that
/// reaches an Apple device through Firebase writes them into `aps` as well, so they are read from
/// there if the top level has no extras.
public struct PowerAuthPushMessage: Hashable, Sendable {
    /// What the message is about.
    public let messageType: MessageType

    /// The operation, a UUID as it was written, of `operationInit` and `operationFinished`:
    /// required there.
    public let operationId: String?

    /// The kind of operation, such as `login`, of `operationInit` and `operationFinished`: required
    /// there.
    public let operationName: String?

    /// The activation that the message was sent to. Optional on messages about operations; on
    /// `statusChange` the page calls it required, and says that it may not be known.
    public let activationId: String?

    /// How the operation ended, of `operationFinished`: required there.
    public let mtokenOperationResult: PowerAuthOperationResult?

    /// The message in the inbox, of `inboxMessage.new`: required there.
    public let inboxId: String?

    /// The title of the alert; only of `operationInit`, and only if title and body are both texts.
    public let title: String?

    /// The body of the alert; only of `operationInit`, and only if title and body are both texts.
    public let body: String?

    /// Reads a push.
    ///
    /// - Returns: `nil` if it is somebody else's: the type is unknown or missing, a required extra
    ///   is missing, an extra of this type isn't a text, or the operation isn't a UUID. Texts are
    ///   compared byte by byte.
    public init?(_ message: PushMessage) {
        guard message.channel == .push, let extras = Self.extras(of: message),
            let type = extras.required("messageType").flatMap(MessageType.init(rawValue:)),
            let activation = extras.optional("activationId")
        else { return nil }
        messageType = type
        activationId = activation.text
        var names: (operation: String, name: String)?
        var result: PowerAuthOperationResult?
        var inbox: String?
        var alert: (title: String, body: String)?
        if type == .operationInit || type == .operationFinished {
            guard let id = extras.required("operationId"), id.hasUUIDForm,
                let name = extras.required("operationName")
            else { return nil }
            names = (id, name)
        }
        switch type {
        case .operationInit:
            alert = Self.alert(of: message)
        case .operationFinished:
            guard let text = extras.required("mtokenOperationResult") else { return nil }
            result = PowerAuthOperationResult(text)
        case .statusChange: break
        case .inboxMessageNew:
            guard let id = extras.required("inboxId") else { return nil }
            inbox = id
        }
        operationId = names?.operation
        operationName = names?.name
        mtokenOperationResult = result
        inboxId = inbox
        title = alert?.title
        body = alert?.body
    }

    private static func extras(of message: PushMessage) -> Extras? {
        guard let top = message.content.object else { return nil }
        if top["messageType"] != nil { return Extras(members: top) }
        return top["aps"]?.object.map(Extras.init(members:))
    }

    private static func alert(of message: PushMessage) -> (title: String, body: String)? {
        let alert = message["aps"]?["alert"]
        guard let title = alert?["title"]?.string, let body = alert?["body"]?.string else {
            return nil
        }
        return (title, body)
    }
}

extension PowerAuthPushMessage {
    /// What a push is about: the values of the extra `messageType`.
    @nonexhaustive
    public enum MessageType: String, Hashable, Sendable, CaseIterable {
        /// A new operation waits for an answer.
        case operationInit = "mtoken.operationInit"
        /// An operation has ended, well or badly.
        case operationFinished = "mtoken.operationFinished"
        /// The state of an activation has changed: ask for it.
        case statusChange = "mtoken.statusChange"
        /// There is a new message in the inbox.
        case inboxMessageNew = "mtoken.inboxMessage.new"
    }
}

/// How an operation ended, as a push says: the values of the extra `mtokenOperationResult`.
///
/// A push proves nothing; what the server says when asked counts.
@nonexhaustive
public enum PowerAuthOperationResult: Hashable, Sendable {
    /// `authentication.success`: it was confirmed.
    case authenticationSuccess
    /// `authentication.fail`: confirming it failed.
    case authenticationFail
    /// `operation.timeout`: its time ran out.
    case operationTimeout
    /// `operation.canceled`: the user cancelled it.
    case operationCanceled
    /// `operation.methodNotAvailable`: the mobile token was taken away from the user. Rare.
    case operationMethodNotAvailable
    /// A value that this version doesn't know, as it came. The message counts all the same.
    case unknown(String)

    private static let documented: [Self] = [
        .authenticationSuccess, .authenticationFail, .operationTimeout, .operationCanceled,
        .operationMethodNotAvailable,
    ]

    /// Reads a value of the extra.
    public init(_ text: String) {
        self =
            Self.documented.first { $0.text.utf8.elementsEqual(text.utf8) } ?? .unknown(text)
    }

    /// The value of the extra.
    public var text: String {
        switch self {
        case .authenticationSuccess: "authentication.success"
        case .authenticationFail: "authentication.fail"
        case .operationTimeout: "operation.timeout"
        case .operationCanceled: "operation.canceled"
        case .operationMethodNotAvailable: "operation.methodNotAvailable"
        case .unknown(let text): text
        }
    }
}

/// Members that are read as texts.
private struct Extras {
    /// An extra that needn't be there.
    struct Optional {
        let text: String?
    }

    let members: JSON.Object

    /// `nil` if it is missing or no text.
    func required(_ name: String) -> String? { members[name]?.string }

    /// `nil` if it is there and no text.
    func optional(_ name: String) -> Optional? {
        guard let value = members[name] else { return Optional(text: nil) }
        return value.string.map(Optional.init(text:))
    }
}
