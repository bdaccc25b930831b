import Foundation

/// What a program that this one starts finds in its environment: what it takes to run and to write
/// in the user's language, and what the user names.
///
/// Everything else stays here: the store's key in `PUSHAUTH_KEY`, a PIN or a password that an option
/// names, and whatever secrets a CI job holds beside them.
struct ChildEnvironment {
    let variables: [String: String]

    private static let usual: Set = ["PATH", "HOME", "LANG", "TERM", "TZ"]

    /// - Parameters:
    ///   - names: The variables that the user names.
    ///   - environment: This process's own.
    init(
        adding names: [String] = [],
        to environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        variables = environment.filter { name, _ in
            Self.usual.contains(name) || name.hasPrefix("LC_") || names.contains(name)
        }
    }
}
