import PushTesting

extension CountingStore {
    /// How much is read while something happens: each record, and each name of a list.
    nonisolated func during(_ body: () async throws -> Void) async rethrows -> Int {
        let before = await reads + names
        try await body()
        return await reads + names - before
    }
}
