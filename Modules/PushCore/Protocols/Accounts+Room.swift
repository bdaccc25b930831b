extension Accounts {
    static let installationCollection = "installation"

    /// A secret of this installation and this provider, the same in every process that shares the
    /// store. It outlives enrollments.
    ///
    /// Derive a device's identifiers from it, so that two servers can't find out that they know the
    /// same device. If it is damaged, a new one replaces it, so keep an enrollment's told
    /// identifier in its credential.
    ///
    /// - Parameter random: The source of a new secret.
    /// - Returns: 32 bytes.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func installationSecret(
        from random: any RandomSource
    ) async throws(PushError) -> Secret {
        let key = RecordKey(Self.installationCollection, provider.rawValue)
        return try await documents.store.secret(key, else: random.bytes(32))
    }
}

extension Accounts {
    /// Sends a request that spends an invitation, while the store keeps room for the resulting
    /// credential.
    ///
    /// Use it if the credential can be written only after the server's reply: a store that is full
    /// or read-only is then found before anything is sent.
    ///
    /// - Parameter body: Sends the request. Write what it returned afterwards, when the room is
    ///   free.
    /// - Returns: What `body` returned.
    /// - Throws: ``PushError`` with the code `storage` if there is no room, in which case nothing
    ///   was sent; or what `body` throws.
    public nonisolated(nonsending) func keepingRoom<Value: Sendable>(
        while body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        // One for all processes: what one that was killed has left is in nobody's way.
        let key = RecordKey("room", provider.rawValue)
        let filler = Secret([UInt8](repeating: 0, count: 8 << 10))
        _ = try await documents.store.replace(key) { _ in filler }
        let result = await Result(catching: body)
        // If it stays, it is only larger than it need be.
        try? await documents.store.delete(key)
        return try result.get()
    }
}
