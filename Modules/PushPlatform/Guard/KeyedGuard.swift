public import PushCore

/// A guard whose key is elsewhere, such as in a file or a key service: the store alone signs nothing.
///
/// It keeps to `GuardPolicy.presence` alone, as it asks nobody. The key is read whenever something is
/// sealed or opened, and kept no longer.
public struct KeyedGuard: KeyGuard {
    private let source: KeySource

    /// Creates a guard.
    ///
    /// - Parameter source: Where the key comes from. Keep it apart from the store and its key.
    public init(_ source: KeySource) {
        self.source = source
    }

    /// Seals a part under the key.
    ///
    /// - Throws: `PushError` with the code `unsupported` for another policy than `presence`, `storage`
    ///   or `invalidArgument` if there is no key.
    public func seal(
        _ part: Secret, under policy: GuardPolicy
    ) async throws(PushError) -> Secret {
        guard policy == .presence else {
            throw PushError(.unsupported, "This guard has a key, and asks nobody for \(policy).")
        }
        return try GuardRecord.seal(part, with: try await source.keys(for: .guards))
    }

    /// Opens parts with the key.
    ///
    /// - Throws: `PushError` with the code `verificationFailed` if another key sealed one, `malformed`
    ///   if one is damaged, `unsupportedRecord` if a newer SDK sealed one, `storage` or
    ///   `invalidArgument` if there is no key.
    public func open(
        _ sealed: [Secret], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [Secret] {
        let keys = try await source.keys(for: .guards)
        var parts: [Secret] = []
        for sealed in sealed {
            let record = try GuardRecord(reading: sealed)
            guard record.keyID == keys.id else {
                throw PushError(
                    .verificationFailed,
                    "It was sealed with the key \(record.keyID), and the key here is \(keys.id).")
            }
            parts.append(try record.open(with: keys))
        }
        return parts
    }

    /// Does nothing: nothing is kept elsewhere.
    public func discard(_ sealed: Secret) async {}
}
