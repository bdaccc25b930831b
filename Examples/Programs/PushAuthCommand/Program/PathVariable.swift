import Foundation

/// The environment variables that say where things are, each for the option of its name: an option
/// that is given wins over its variable, and that over the configuration and the defaults.
///
/// What a single call reads, such as a picture, has none: a command mustn't do something else for a
/// variable that was left behind.
enum PathVariable: String, CaseIterable {
    case store = "PUSHAUTH_STORE"
    case keyFile = "PUSHAUTH_KEY_FILE"
    case configuration = "PUSHAUTH_CONFIG"
    case authorities = "PUSHAUTH_AUTHORITIES"
    case policy = "PUSHAUTH_POLICY"
    case credentials = "PUSHAUTH_CREDENTIALS"
    case secretFile = "PUSHAUTH_SECRET_FILE"
    case tlsCertificate = "PUSHAUTH_TLS_CERT"
    case tlsKey = "PUSHAUTH_TLS_KEY"

    /// Its value; `nil` if it isn't set, or is empty.
    func path(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        environment[rawValue].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What a user names by an option, else by the variable.
    static func resolve(_ option: inout String?, by variable: PathVariable) {
        option = option ?? variable.path()
    }
}
