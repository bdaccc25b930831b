import Foundation
import LocalServer
import PushCore
import PushPrivacyIDEASimulator
import PushTesting

/// The simulator behind a server of its own, with one scenario's tokens.
actor SimulatedPrivacyIDEA: PrivacyIDEAServer {
    nonisolated let release: PrivacyIDEARelease
    nonisolated let authority: LocalAuthority
    private let simulator: PrivacyIDEASimulator
    private let identity: LocalIdentity
    private var server: LocalServer
    private var asksForNumber = false
    private var pushes: [String: [Data]] = [:]

    init(_ release: PrivacyIDEARelease) async throws {
        var configuration = PrivacyIDEASimulator.Configuration(
            generation: release == .v314 ? .v314 : .v313)
        // As the real one is set up; its pushes differ by user.
        configuration.gateway = .pollOnly
        configuration.question = "Log in as {user}?"
        let simulator = PrivacyIDEASimulator(configuration)
        let authority = try LocalAuthority()
        let identity = try authority.identity()
        let server = try await Self.serve(simulator, as: identity, at: 0)
        try await simulator.move(to: server.origin)
        (self.simulator, self.server, self.identity) = (simulator, server, identity)
        (self.authority, self.release) = (authority, release)
    }

    private static func serve(
        _ simulator: PrivacyIDEASimulator, as identity: LocalIdentity, at port: Int
    ) async throws -> LocalServer {
        try await LocalServer.start(.secure(identity), at: port) {
            await simulator.respond(to: $0, body: $1)
        }
    }

    func stop() async {
        await server.stop()
        authority.removeFile()
    }

    var origin: String { server.origin }

    func set(_ setting: ServerSetting, for user: String) async throws {
        switch setting {
        case .address(let url):
            return try await simulator.move(to: String(url.dropLast("/ttype/push".count)))
        case .numbers, .letters, .options: asksForNumber = true
        default: break
        }
        await simulator.configure { setting.apply(to: &$0) }
    }

    func clearPollSettings(for user: String) async throws {}

    func code(for user: String, serial: String?) async throws -> (text: String, serial: String) {
        let text = try await simulator.enrollmentURI(for: user, serial: serial)
        let items = URLComponents(string: text)?.queryItems ?? []
        return (text, items.first { $0.name == "serial" }?.value ?? "")
    }

    func startLogin(of user: String, byPIN: Bool) async throws -> StartedLogin {
        let login = try await simulator.startLogin(
            of: user, asking: asksForNumber ? .number : .confirm)
        return StartedLogin(id: login.id, user: user, shown: login.shown)
    }

    func state(of login: StartedLogin) async throws -> String {
        do {
            let state = try await simulator.transaction(login.id)
            return "\(state.authentication.rawValue) \(state.challengeStatus.rawValue)"
        } catch {
            // What a page is told of a transaction that isn't there.
            return "REJECT pending"
        }
    }

    func finish(_ login: StartedLogin, typing code: String) async throws -> String {
        try await simulator.finish(login.id, typing: code) ? "ACCEPT" : "REJECT"
    }

    func cancel(_ login: StartedLogin) async throws {
        try await simulator.cancelLogin(login.id)
    }

    func deviceToken(of serial: String) async throws -> String? {
        for user in Scenario.users {
            for token in await simulator.tokens(of: user) where token.serial == serial {
                return switch token.deviceToken {
                case .fcm(let text)?: text
                case .apns(let hex, _)?: hex
                case nil: "no_firebase_token"
                @unknown default: "no_firebase_token"
                }
            }
        }
        return nil
    }

    func setToken(_ serial: String, isEnabled: Bool) async throws {
        await simulator.setEnabled(isEnabled, token: serial)
    }

    func deleteToken(_ serial: String) async throws {
        await simulator.removeToken(serial)
    }

    func takePushes(to deviceToken: String) async throws -> [Data] {
        for request in await simulator.takeGatewayRequests() {
            let body = try JSON(parsing: request.body)
            guard let token = body["token"]?.string, let data = body["data"] else { continue }
            pushes[token, default: []].append(data.data)
        }
        return pushes.removeValue(forKey: deviceToken) ?? []
    }

    func restart() async throws {
        let port = server.port
        await server.stop()
        server = try await Self.serve(simulator, as: identity, at: port)
    }
}

extension ServerSetting {
    fileprivate func apply(to configuration: inout PrivacyIDEASimulator.Configuration) {
        switch self {
        case .gateway(let gateway):
            configuration.gateway = if case .http = gateway { .http } else { .firebase }
        case .numbers(let count): configuration.presence = .numeric(count: count)
        case .letters(let count): configuration.presence = .alphabetic(count: count)
        case .options(let texts): configuration.presence = .custom(texts)
        case .codeToPhone: configuration.sendsCodeToPhone = true
        case .pollingDenied: configuration.polling = .deny
        case .errorsHidden(let isHidden): configuration.hidesErrors = isHidden
        case .appUnlock(let way):
            configuration.forcesAppPIN = true
            configuration.appUnlock = way
        case .piaScheme: configuration.usesPIAScheme = true
        case .validity(let seconds): configuration.validity = .seconds(seconds)
        case .address: break
        }
    }
}
