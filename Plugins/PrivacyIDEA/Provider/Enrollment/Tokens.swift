import PushCore

/// A token on this device, with what its challenges are verified by.
struct Token {
    let id: Enrollment.ID
    let credential: PrivacyIDEACredential
    let key: ServerKey
}

/// The tokens on this device.
struct Tokens {
    let vault: Vault
    let clock: any PushClock
    let listed: ListedEnrollments
    let serverKeys: ServerKeys

    /// A token that must be there.
    ///
    /// - Throws: `PushError`: `unknownEnrollment` if it isn't there, `malformed` if it is damaged,
    ///   `storage` if the store can't tell.
    func existing(_ id: Enrollment.ID) async throws(PushError) -> Token {
        try await token(id, keptAs: vault.existing(id).secret)
    }

    /// A token; `nil` if there is none, or it is damaged: another may be meant.
    func token(_ id: Enrollment.ID) async throws(PushError) -> Token? {
        do throws(PushError) {
            guard let secret = try await vault.secret(of: id) else { return nil }
            return try await token(id, keptAs: secret)
        } catch  where error.code == .malformed {
            return nil
        }
    }

    /// The tokens with a serial, at whatever origin, in a fixed order.
    func ids(ofSerial serial: String) async throws(PushError) -> [Enrollment.ID] {
        try await listed.ids(in: vault, clock)
            .filter { $0.name.utf8.starts(with: "\(serial)@".utf8) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// A token from its record's secret half.
    private func token(
        _ id: Enrollment.ID, keptAs secret: Secret
    ) async throws(PushError) -> Token {
        let credential = try PrivacyIDEACredential(secret)
        return Token(
            id: id, credential: credential,
            key: try await serverKeys.key(pkcs1: credential.serverKey, of: id))
    }
}
