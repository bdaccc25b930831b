package import PushCore

/// Where the key pair of a new account comes from.
package protocol AccountKeySource: Sendable {
    /// A pair of an algorithm, which no other account has.
    func key(
        _ algorithm: PlusAuth.KeyAlgorithm
    ) async throws(PushError) -> ExportableAccountKey
}

/// A new pair for each account.
package struct FreshAccountKeys: AccountKeySource {
    /// Makes a new pair.
    package func key(
        _ algorithm: PlusAuth.KeyAlgorithm
    ) async throws(PushError) -> ExportableAccountKey {
        try await ExportableAccountKey.generate(algorithm)
    }
}
