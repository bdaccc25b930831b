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
