extension Vault {
    /// Sends what spends an invitation while the store keeps room for the credential that comes of it.
    ///
    /// It is for a credential that can't be written before the server has replied. If the store is full,
    /// or takes no writes at all, that is found before anything is sent.
    ///
    /// - Parameter body: Sends it. What it returns is written after that, in the room that is free then.
    /// - Returns: What `body` returned.
    /// - Throws: ``PushError`` with the code `storage` if there is no room, and then nothing was sent;
    ///   or what `body` throws.
    public nonisolated(nonsending) func keepingRoom<Value: Sendable>(
        while body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        // One for all processes: what one that was killed has left is in nobody's way.
        let key = RecordKey("room", provider.rawValue)
        let filler = Secret([UInt8](repeating: 0, count: 8 << 10))
        _ = try await store.replace(key) { _ in filler }
        let result = await Result(catching: body)
        // If it stays, it is only larger than it need be.
        try? await store.delete(key)
        return try result.get()
    }
}
