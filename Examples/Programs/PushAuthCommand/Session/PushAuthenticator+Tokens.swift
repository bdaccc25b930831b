import PushCore

extension PushAuthenticator {
    /// Tells the vendors the tokens of this device, and that it has none of other services: an
    /// earlier run may have given one that nothing answers to any more, and a vendor may prefer its
    /// service.
    ///
    /// - Parameter tokens: The tokens, each of another service.
    /// - Returns: Why some vendors don't know it yet.
    /// - Throws: `PushError` with the code `invalidArgument` or `storage`.
    func tellOnly(
        _ tokens: [DeviceToken]
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        let services = Set(tokens.map(\.service))
        var failures: [Enrollment.ID: PushError] = [:]
        // What is taken away comes last, so that no vendor is left without one meanwhile.
        for token in tokens {
            failures = Self.left(try await deviceTokenChanged(token), of: failures)
        }
        for service in DeviceToken.Service.allCases where !services.contains(service) {
            failures = Self.left(try await deviceTokenRemoved(of: service), of: failures)
        }
        return failures
    }

    /// Each call tells everyone who lacks its newest token, so those that fail in the last one are
    /// those that are left. Why, the first failure says best: after it, a server may want a pause.
    private static func left(
        _ newest: [Enrollment.ID: PushError], of earlier: [Enrollment.ID: PushError]
    ) -> [Enrollment.ID: PushError] {
        newest.merging(earlier.filter { newest[$0.key] != nil }) { $1 }
    }
}
