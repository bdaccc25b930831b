import PushCore
import PushPlatform

/// A phone's notification center, as the system keeps it: what apps post, and the pushes that the system
/// shows by itself.
actor SystemCenter: NotificationBoard {
    /// One that the user sees.
    struct Shown: Sendable {
        let identifier: String
        let category: String
        let title: String
        let body: String
        let interruption: LocalNotification.Interruption?
        let userInfo: JSON.Object
        let isPush: Bool

        var posted: PostedNotification {
            PostedNotification(
                identifier: identifier, category: category, userInfo: userInfo.foundation,
                isPush: isPush)
        }
    }

    private(set) var shown: [Shown] = []
    /// What rang or was put silently, in order, by its title.
    private(set) var history: [String] = []
    private var lastPush = 0
    private var isAllowed = true

    /// The user takes the permission back.
    func forbid() { isAllowed = false }

    /// The user swipes everything away.
    func dismissAll() { shown = [] }

    func posted() -> [PostedNotification] { shown.map(\.posted) }

    func post(_ notification: LocalNotification) throws(PushError) {
        guard isAllowed else { throw PushError(.notificationRefused, "Not allowed.") }
        show(
            notification, notification.userInfo.mapValues(JSON.string), isPush: false,
            as: notification.identifier)
    }

    /// The app posts one of its own.
    func put(_ notification: PostedNotification) {
        shown.append(
            Shown(
                identifier: notification.identifier, category: "news", title: "News", body: "",
                interruption: nil, userInfo: [:], isPush: false))
    }

    func remove(_ identifiers: [String]) {
        shown.removeAll { identifiers.contains($0.identifier) }
    }

    /// Shows a push, as the extension wants it or as it came.
    @discardableResult
    func deliver(_ payload: JSON.Object, as content: NotificationServiceFlow.Content = .original)
        -> Shown
    {
        lastPush += 1
        let identifier = "system-\(lastPush)"
        switch content {
        case .replaced(let notification):
            show(
                notification, notification.userInfo.mapValues(JSON.string), isPush: true,
                as: identifier)
        case .unread(let notification):
            show(notification, payload.dictionary, isPush: true, as: identifier)
        case .original:
            let alert = payload["aps"]?["alert"]
            shown.append(
                Shown(
                    identifier: identifier, category: payload["aps"]?["category"]?.string ?? "",
                    title: alert?["title"]?.string ?? alert?.string ?? "",
                    body: alert?["body"]?.string ?? "", interruption: nil, userInfo: payload,
                    isPush: true))
            history.append(shown.last?.title ?? "")
        }
        return shown[shown.count - 1]
    }

    private func show(
        _ notification: LocalNotification, _ userInfo: [String: JSON], isPush: Bool,
        as identifier: String
    ) {
        shown.removeAll { $0.identifier == identifier }
        shown.append(
            Shown(
                identifier: identifier, category: notification.category.rawValue,
                title: notification.title, body: notification.body,
                interruption: notification.interruption,
                userInfo: JSON.Object(userInfo.map { ($0.key, $0.value) }), isPush: isPush))
        history.append(notification.title)
    }
}

extension JSON.Object {
    var dictionary: [String: JSON] { Dictionary(members.map { ($0.name, $0.value) }) { $1 } }

    /// As Apple's system hands it over.
    var foundation: [AnyHashable: Any] {
        Dictionary(members.map { (AnyHashable($0.name), $0.value.foundation) }) { $1 }
    }
}

extension JSON {
    fileprivate var foundation: Any {
        switch self {
        case .string(let text): text
        case .bool(let bool): bool
        case .number: integer.map { Int($0) } ?? double ?? 0
        case .array(let elements): elements.map(\.foundation)
        case .object(let object): object.foundation
        // Only Apple's systems have an object for it.
        case .null: ""
        }
    }
}
