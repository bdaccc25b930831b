import PushCore

/// A token on this device, with what its challenges are verified by.
struct Token {
    let id: Enrollment.ID
    let credential: PrivacyIDEACredential
    let key: ServerKey
}

/// The tokens on this device.
struct Tokens {
    let clock: any PushClock
    let listed: ListedEnrollments
    let serverKeys: ServerKeys

    /// An enrollment's token.
    ///
    /// - Throws: `PushError` with the code `malformed` if it is damaged.
    func token(of account: Account) async throws(PushError) -> Token {
        let credential = try account.credential(as: PrivacyIDEACredential.self)
        return Token(
            id: account.id, credential: credential,
            key: try await serverKeys.key(pkcs1: credential.serverKey, of: account.id))
    }

    /// A token; `nil` if there is none, or it is damaged: another may be meant.
    func token(_ id: Enrollment.ID, in accounts: Accounts) async throws(PushError) -> Token? {
        do throws(PushError) {
            guard let account = try await accounts.account(id) else { return nil }
            return try await token(of: account)
        } catch  where error.code == .malformed {
            return nil
        }
    }

    /// The tokens with a serial, at whatever origin, in a fixed order.
    func ids(
        ofSerial serial: String, in accounts: Accounts
    ) async throws(PushError) -> [Enrollment.ID] {
        try await listed.ids(in: accounts, clock)
            .filter { $0.name.utf8.starts(with: "\(serial)@".utf8) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}
