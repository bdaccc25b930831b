internal import CPushPostgres
import PushCore

/// libpq, as it was found on this system.
///
/// Its table of functions is written once, before this exists, and never freed: that is why
/// `@unchecked Sendable` is safe.
struct PostgresLibrary: @unchecked Sendable {
    let functions: UnsafePointer<push_pq>

    /// Loads it.
    ///
    /// - Parameter path: Where it is; `nil` for where systems have it.
    /// - Returns: The library, which stays loaded.
    /// - Throws: `PushError` with the code `unsupported` if it isn't there, or isn't one.
    @concurrent
    static func load(_ path: String?) async throws(PushError) -> PostgresLibrary {
        var lacking: UnsafePointer<CChar>?
        for name in path.map({ [$0] }) ?? usualNames {
            if let functions = push_pq_load(name, &lacking) {
                return PostgresLibrary(functions: functions)
            }
            if let lacking {
                throw PushError(
                    .unsupported,
                    "\(name) has no function \(String(cString: lacking)): PostgreSQL 12's libpq or "
                        + "a newer one is needed.")
            }
        }
        throw PushError(
            .unsupported,
            "PostgreSQL's client library isn't there: \(path ?? usualNames[0]). "
                + "Install libpq: on Debian and Ubuntu the package libpq5, on a Mac Homebrew's libpq."
        )
    }

    #if canImport(Darwin)
    private static let usualNames = [
        "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib",
    ]
    #else
    private static let usualNames = ["libpq.so.5"]
    #endif
}
