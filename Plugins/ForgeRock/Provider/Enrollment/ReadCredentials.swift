import PushCore

/// Credentials as they were read last: reading one takes longer than to check a push.
///
/// It's a cache, which may be dropped at any moment. Every push reads its record from the store again,
/// and what is kept counts only for the very bytes that it was read from. What a replaced record held
/// stays here, unused, until newer ones push it out. What was removed on this device is dropped at once,
/// and all goes with the provider; the secrets are zeroed then.
actor ReadCredentials {
    private static let most = 8

    private var entries: [(sealed: Secret, credential: ForgeRockCredential)] = []

    /// How many are kept.
    var count: Int { entries.count }

    /// Forgets every credential; the next push reads its own again.
    func dropCaches() { entries = [] }

    /// The credential that a record's provider half holds.
    ///
    /// - Throws: `PushError` with the code `malformed` if it is damaged.
    func credential(in sealed: Secret) throws(PushError) -> ForgeRockCredential {
        for entry in entries where entry.sealed.isEqualInConstantTime(to: sealed) {
            return entry.credential
        }
        let credential = try ForgeRockCredential(sealed)
        if entries.count >= Self.most { entries.removeFirst() }
        entries.append((sealed, credential))
        return credential
    }
}
