package import PushCore

/// Where the key pair of a new account comes from.
package struct AccountKeySource: Sendable {
    private let make:
        @Sendable (PlusAuth.KeyAlgorithm) async throws(PushError) -> ExportableAccountKey

    /// Creates a source, such as one of published pairs.
    ///
    /// - Parameter make: Makes a pair of an algorithm, which no other account has.
    package init(
        _ make:
            @escaping @Sendable (PlusAuth.KeyAlgorithm) async throws(PushError) ->
            ExportableAccountKey
    ) {
        self.make = make
    }

    /// A new pair for each account.
    package static let fresh = AccountKeySource { (algorithm) async throws(PushError) in
        try await ExportableAccountKey.generate(algorithm)
    }

    /// The pair of a new account.
    package func key(
        _ algorithm: PlusAuth.KeyAlgorithm
    ) async throws(PushError) -> ExportableAccountKey {
        try await make(algorithm)
    }
}
