extension PowerAuthSimulator {
    /// The calls of a mobile app, by their paths.
    public enum Call: String, Hashable, Sendable, CaseIterable {
        /// Makes a temporary key.
        case keystore = "/pa/v3/keystore/create"
        /// Exchanges keys.
        case activation = "/pa/v3/activation/create"
        /// Tells how an activation stands.
        case status = "/pa/v3/activation/status"
        /// Removes an activation.
        case removal = "/pa/v3/activation/remove"
        /// Creates a token.
        case tokenCreation = "/pa/v3/token/create"
        /// Removes a token.
        case tokenRemoval = "/pa/v3/token/remove"
        /// Checks a signature, and does nothing else.
        case validation = "/pa/v3/signature/validate"
        /// Hands out the key of the vault.
        case vault = "/pa/v3/vault/unlock"
        /// Tells the server's time.
        case time = "/pa/v3/status"
        /// Registers for pushes.
        case registration = "/api/push/device/register/token"
        /// Registers for pushes, by the older path.
        case olderRegistration = "/api/push/device/register"
        /// Lists what waits.
        case list = "/api/auth/token/app/operation/list"
        /// Shows an operation.
        case detail = "/api/auth/token/app/operation/detail"
        /// Takes an operation that has no user yet.
        case claim = "/api/auth/token/app/operation/detail/claim"
        /// Lists what was.
        case history = "/api/auth/token/app/operation/history"
        /// Approves.
        case authorize = "/api/auth/token/app/operation/authorize"
        /// Rejects.
        case cancel = "/api/auth/token/app/operation/cancel"
        /// Counts unread messages.
        case inboxCount = "/api/inbox/count"
        /// Lists messages.
        case inboxList = "/api/inbox/message/list"
        /// Shows a message.
        case inboxDetail = "/api/inbox/message/detail"
        /// Marks a message as read.
        case inboxRead = "/api/inbox/message/read"
        /// Marks all messages as read.
        case inboxReadAll = "/api/inbox/message/read-all"
    }
}
