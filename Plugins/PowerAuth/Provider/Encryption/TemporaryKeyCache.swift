import PushCore

/// The temporary keys in use, one per scope. They live in memory alone.
actor TemporaryKeyCache {
    /// A scope without its secrets, told apart by bytes.
    private struct Name: Hashable {
        let application: [UInt8]
        let activation: [UInt8]?

        init(_ scope: EncryptionScope) {
            application = Array(scope.application.key.utf8)
            activation = scope.activationID.map { Array($0.utf8) }
        }
    }

    private var keys: [Name: TemporaryKey] = [:]

    /// A scope's key, unless it ends within ``TemporaryKey/margin``.
    ///
    /// - Parameter elapsed: The monotonic time now.
    func key(for scope: EncryptionScope, at elapsed: Duration) -> TemporaryKey? {
        guard let key = keys[Name(scope)], key.isUsable(at: elapsed) else { return nil }
        return key
    }

    /// Keeps a key, in place of the one the scope had, and drops all that have ended.
    func keep(_ key: TemporaryKey, for scope: EncryptionScope, at elapsed: Duration) {
        keys[Name(scope)] = key
        keys = keys.filter { $0.value.isUsable(at: elapsed) }
    }

    /// Forgets a scope's key, such as one that the server no longer knows.
    func forget(_ scope: EncryptionScope) {
        keys[Name(scope)] = nil
    }

    /// Forgets every key.
    func removeAll() { keys.removeAll() }
}
