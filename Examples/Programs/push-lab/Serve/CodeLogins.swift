import PushCore

/// Logins by a one-time code, which ask no device.
struct CodeLogins {
    let console: Console

    /// Logs a user in.
    ///
    /// - Returns: Whether the code counts.
    /// - Throws: `PushError` with the code `unsupported` if the vendor's page takes no codes, or what the
    ///   vendor throws.
    func logIn(
        _ user: String, at vendor: ConsoleVendor, by code: String
    ) async throws -> Bool {
        guard let logIn = vendor.logInByCode else {
            throw PushError(.unsupported, "The vendor's login page takes no one-time codes.")
        }
        let counts = try await logIn(user, code)
        let words = counts ? "logged in by a one-time code" : "a one-time code that doesn't count"
        await console.note(vendor.name, words, of: user)
        return counts
    }
}
