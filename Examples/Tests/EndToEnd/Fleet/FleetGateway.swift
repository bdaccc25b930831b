import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// A vendor that pushes to the devices of a fleet, by a gateway that posts to its listeners.
struct FleetGateway {
    let fleet: FleetSite
    let simulator: ForgeRockSimulator
    let secret: String

    /// Makes a fleet and its devices.
    static func found(
        _ fleet: FleetSite, _ simulator: ForgeRockSimulator, _ devices: String...
    ) async throws -> FleetGateway {
        let credentials = fleet.site.directory.path + "/credentials"
        let made = try await fleet.pushauth(
            "fleet", "init", "--public-url", "http://127.0.0.1:8080", "--credentials", credentials)
        try #require(made.exitCode == 0, "\(made.errors)")
        for device in devices { try await fleet.add(device) }
        let secret = try String(contentsOfFile: credentials + "/http-secret", encoding: .utf8)
        return FleetGateway(
            fleet: fleet, simulator: simulator,
            secret: secret.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// The same vendor, gateway and users, with the fleet's store at another place.
    func moved(to store: String) async throws -> FleetGateway {
        FleetGateway(
            fleet: try await FleetSite(fleet.site, at: store), simulator: simulator, secret: secret)
    }

    /// Starts a listener that takes pushes by HTTP.
    func listen(_ options: String...) throws -> ListeningProcess {
        try ListeningProcess(
            ["--http", "127.0.0.1:0"] + options + fleet.place,
            environment: fleet.site.environment)
    }

    /// A policy that approves everything.
    var approving: String {
        get throws {
            try fleet.site.file(
                "policy.toml", "[[rule]]\nname = \"all\"\naction = \"approve\"\n")
        }
    }

    func url(of listener: ListeningProcess) async throws -> String {
        let event = try await listener.event("listening")
        return try #require(event["intakes"]?["http"]?["url"]?.string)
    }

    /// Posts what a vendor pushed.
    func post(
        _ push: SimulatedPush, to listener: ListeningProcess, token: String? = nil
    ) async throws -> (status: Int, body: JSON?) {
        let body: JSON = [
            "token": .string(token ?? push.deviceToken.text),
            "data": try JSON(parsing: push.payload),
        ]
        return try await curl([
            "--header", "Authorization: Bearer \(secret)", "--json", body.text,
            try await url(of: listener),
        ])
    }

    func ready(_ listener: ListeningProcess) async throws -> Int {
        let url = try await url(of: listener).replacingOccurrences(of: "/push", with: "/ready")
        return try await curl([url]).status
    }

    func curl(_ arguments: [String]) async throws -> (status: Int, body: JSON?) {
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            ["curl", "--silent", "--show-error", "--write-out", "\n%{http_code}"] + arguments)
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let status = try #require(lines.last.flatMap { Int($0) }, "\(result.errors)")
        return (status, try? JSON(parsing: lines.dropLast().joined(separator: "\n")))
    }

    // MARK: Logins

    /// Begins a login of a user who has one device, and takes what was pushed.
    func login(of user: String) async throws -> (id: SimulatedLogin.ID, push: SimulatedPush) {
        let login = try await simulator.startLogin(of: user, asking: .confirm)
        return (login.id, try #require(await simulator.takePushes().first))
    }

    func wait(for status: SimulatedLogin.Status, of id: SimulatedLogin.ID) async throws {
        let start = ContinuousClock.now
        while try await simulator.status(of: id) != status {
            guard start.duration(to: .now) < .seconds(120) else {
                throw Browser.Failure("The login isn't \(status).")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// The answers that came to the vendor for each login, the same one once however often it came.
    func answers() async -> [SimulatedLogin.ID: Set<Data>] {
        var answers: [SimulatedLogin.ID: Set<Data>] = [:]
        for exchange in await simulator.exchanges
        where exchange.request.path?.contains("_action=authenticate") == true {
            guard let id = try? JSON(parsing: exchange.body)["messageId"]?.string else { continue }
            answers[id, default: []].insert(exchange.body)
        }
        return answers
    }
}
