extension Vault {
    static let installationCollection = "installation"

    /// A secret of this installation and this provider that no enrollment begins or ends: the same
    /// in every process that shares the store.
    ///
    /// It's for what a device calls itself at servers that mustn't find out together whose it is. One
    /// that is damaged, or isn't 32 bytes, is drawn anew, so an enrollment keeps what it has told of itself.
    ///
    /// - Parameter random: Where it's drawn from, the first time.
    /// - Returns: 32 bytes.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func installationSecret(
        from random: any RandomSource
    ) async throws(PushError) -> Secret {
        let key = RecordKey(Self.installationCollection, provider.rawValue)
        let drawn = random.bytes(32)
        do throws(PushError) {
            return try await installationSecret(key, else: drawn)
        } catch  where error.code == .malformed {
            try await store.discardDamaged(key)
            return try await installationSecret(key, else: drawn)
        }
    }

    private func installationSecret(
        _ key: RecordKey, else drawn: Secret
    ) async throws(PushError) -> Secret {
        try await store.change(key) { found in
            guard let found, found.count == drawn.count else { return (.replace(drawn), drawn) }
            return (.keep, found)
        }
    }
}
