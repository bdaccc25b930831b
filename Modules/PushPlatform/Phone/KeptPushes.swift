import PushCore

/// Pushes that couldn't be read when they came: each in a notification of the app's words, where a later
/// process finds it as well.
actor KeptPushes {
    private let board: any NotificationBoard
    private let policy: NotificationPolicy
    private let random: any RandomSource

    /// Those that have no notification, as the user allows none. They last as long as the process.
    private var unshown: [PushMessage] = []

    /// Those that are being kept: several callbacks may bring one push at the same moment.
    private var underway: [JSON] = []

    /// How many are kept at the most.
    private static let most = 32

    init(on board: any NotificationBoard, by policy: NotificationPolicy, random: any RandomSource) {
        self.board = board
        self.policy = policy
        self.random = random
    }

    /// Keeps a push.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - isQuiet: Whether the user has been told of it.
    /// - Returns: Whether it's kept; it isn't if it's too long to be a push, or too many are.
    @discardableResult
    func keep(_ message: PushMessage, quietly isQuiet: Bool = false) async -> Bool {
        let policy = isQuiet ? policy.quiet : policy
        guard let notification = policy.unread(message, random.uuid()) else { return false }
        guard !underway.contains(message.content) else { return true }
        underway.append(message.content)
        defer { underway.removeAll { $0 == message.content } }
        let kept =
            await board.posted().filter { $0.category == .unread && !$0.isPush }
            .compactMap(\.message) + unshown
        guard !kept.contains(where: { $0.content == message.content }) else { return true }
        guard kept.count < Self.most else { return false }
        do throws(PushError) {
            try await board.post(notification)
        } catch {
            unshown.append(message)
        }
        return true
    }

    /// Hands out those that have no notification, to be read again.
    func takeUnshown() -> [PushMessage] {
        defer { unshown = [] }
        return unshown
    }
}
