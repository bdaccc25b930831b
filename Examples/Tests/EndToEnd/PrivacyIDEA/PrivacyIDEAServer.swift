import Foundation
import LocalServer
import PushTesting

/// A privacyIDEA server as everybody sees it who isn't a device: its administrator, and a login page.
///
/// The real server is one, the simulator the other: the same scenarios run at both.
protocol PrivacyIDEAServer: Sendable {
    var release: PrivacyIDEARelease { get }

    /// Where it is reached, such as `https://127.0.0.1:8443`.
    var origin: String { get async throws }

    /// Vouches for it.
    var authority: LocalAuthority { get }

    /// Sets something for one user.
    func set(_ setting: ServerSetting, for user: String) async throws

    /// Takes back where a user's codes and challenges lead, and that nobody may poll. Polls aren't told
    /// apart by their user there: one user's setting is everybody's, and two addresses contradict each
    /// other (403 with the code 303).
    func clearPollSettings(for user: String) async throws

    /// Invites a user's device, as the code on a page does.
    ///
    /// - Parameters:
    ///   - user: Whose it is.
    ///   - serial: The token that the code is for: a new one by that name, or an enrolled one whose keys
    ///     are to be replaced; `nil` lets the server name a new one.
    /// - Returns: The text of the code, and the token's serial.
    /// - Throws: What the server refuses it for.
    func code(for user: String, serial: String?) async throws -> (text: String, serial: String)

    /// Starts a login, which asks all of the user's tokens.
    ///
    /// - Parameters:
    ///   - user: Whose it is.
    ///   - byPIN: Whether the page sends the user's PIN. The server takes a second for that, and none for
    ///     an administrator's word.
    /// - Returns: The login.
    /// - Throws: What the server refuses it for.
    func startLogin(of user: String, byPIN: Bool) async throws -> StartedLogin

    /// What the login page is told, such as `ACCEPT accept`: whether the user may get in, and what became
    /// of the challenges.
    func state(of login: StartedLogin) async throws -> String

    /// The login page's last call.
    ///
    /// - Parameters:
    ///   - login: The login.
    ///   - code: What the user typed, if the login asked for a code.
    /// - Returns: `ACCEPT`, or what else the page is told.
    /// - Throws: What the server refuses it for.
    func finish(_ login: StartedLogin, typing code: String) async throws -> String

    /// Takes a login's challenges back.
    func cancel(_ login: StartedLogin) async throws

    /// The device token that the server has for a token.
    func deviceToken(of serial: String) async throws -> String?

    /// Lets a token count no more, or again.
    func setToken(_ serial: String, isEnabled: Bool) async throws

    /// Deletes a token.
    func deleteToken(_ serial: String) async throws

    /// What was pushed to a device token and not taken yet, the fields of a challenge alone.
    func takePushes(to deviceToken: String) async throws -> [Data]

    /// Ends it and starts it again, with what it keeps.
    func restart() async throws
}

extension PrivacyIDEAServer {
    func startLogin(of user: String) async throws -> StartedLogin {
        try await startLogin(of: user, byPIN: false)
    }
}

/// The releases that are tried.
enum PrivacyIDEARelease: String, Comparable, Sendable {
    case v313 = "3.13"
    case v314 = "3.14"

    /// The one that this run is for: 3.14, unless the environment asks for the older one.
    static var chosen: PrivacyIDEARelease {
        ProcessInfo.processInfo.environment["PUSH_AUTH_PRIVACYIDEA"]
            .flatMap(PrivacyIDEARelease.init(rawValue:)) ?? .v314
    }

    static func < (one: PrivacyIDEARelease, other: PrivacyIDEARelease) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// What an administrator sets.
enum ServerSetting: Sendable {
    /// How pushes go out; by default, devices have to poll.
    case gateway(Gateway)
    /// Options between which the user chooses.
    case numbers(count: Int)
    case letters(count: Int)
    case options([String])
    /// A yes is told a code, which the user types into the login page.
    case codeToPhone
    /// Nobody may poll.
    case pollingDenied
    /// Replies don't say what was wrong, whosever token it is.
    case errorsHidden(Bool)
    /// Codes ask for the unlocked app before an answer.
    case appUnlock(String)
    /// Codes have the scheme `pia`.
    case piaScheme
    /// How long an answer is taken, in seconds, of whichever user.
    case validity(Int)
    /// Where codes and challenges lead.
    case address(String)

    enum Gateway: Sendable {
        case firebase, http
        /// One that a test has defined at the real server.
        case named(String)
    }
}

/// A login that waits for an answer.
struct StartedLogin: Sendable {
    let id: String
    let user: String
    /// The option that the login page shows, if it asks for one.
    let shown: String?
}
