import Foundation
import LocalServer
import PushCore
import PushPlatform
import Testing

@testable import push_lab

/// Where one scenario plays: a server, a user of it, and the user's devices.
struct Stage: Sendable {
    let server: any PrivacyIDEAServer
    let user: String
    let transcript = Transcript()
    private let directory: URL
    private let authorities: URL

    /// Plays a scenario.
    ///
    /// - Returns: What was seen.
    /// - Throws: What the scenario throws.
    static func play(
        _ scenario: Scenario, at server: any PrivacyIDEAServer
    ) async throws -> [String] {
        let home = try TemporaryDirectory()
        defer { home.remove() }
        let stage = Stage(server: server, user: scenario.user, directory: home.url)
        try Data(server.authority.certificatePEM.utf8).write(to: stage.authorities)
        do {
            try await scenario.play(stage)
        } catch {
            try await server.clearPollSettings(for: stage.user)
            throw error
        }
        try await server.clearPollSettings(for: stage.user)
        return await stage.transcript.lines
    }

    private init(server: any PrivacyIDEAServer, user: String, directory: URL) {
        self.server = server
        self.user = user
        self.directory = directory
        authorities = directory.appendingPathComponent("authorities.pem")
    }

    // MARK: Devices

    /// A device; the same one again by the same name, as after its process has ended.
    func device(
        _ name: String = "phone", token: String? = nil, ahead: TimeInterval = 0
    ) async throws -> TokenDevice {
        let device = try await TokenDevice(
            name, in: directory.appendingPathComponent(name), trusting: authorities.path,
            noting: transcript, ahead: ahead)
        if let token { try await device.authenticator.deviceTokenChanged(.fcm(token)) }
        return device
    }

    /// A device as a process of its own, which notes nothing; the same one again after that has ended.
    func process() async throws -> Peer {
        let place = directory.appendingPathComponent("process")
        if !FileManager.default.fileExists(atPath: place.path) {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try await SoakStore(in: place).prepare()
        }
        return try Peer(
            Program("push-lab").executable,
            [
                "soak-device", "--directory", place.path, "--instance", "process",
                "--authority", authorities.path,
            ],
            errorFile: place.appendingPathComponent("errors"), temporary: place)
    }

    /// A device with everything that another one has, as one that was restored from a backup.
    func copy(of device: TokenDevice, _ name: String) async throws -> TokenDevice {
        try FileManager.default.copyItem(
            at: device.directory, to: directory.appendingPathComponent(name))
        return try await self.device(name)
    }

    /// A device with a token of the user.
    func enrolledDevice(
        _ name: String = "phone", token: String? = nil, ahead: TimeInterval = 0
    ) async throws -> (TokenDevice, Enrollment) {
        let device = try await device(name, token: token, ahead: ahead)
        let code = try await server.code(for: user, serial: nil)
        return (device, try #require(try await device.enroll(code.text)))
    }

    /// A device with a token of the user, and the one challenge that it found.
    func askedDevice(
        byPIN: Bool = false
    ) async throws -> (TokenDevice, Enrollment, StartedLogin, Challenge.ID) {
        let (device, enrollment) = try await enrolledDevice()
        let (login, id) = try await login(on: device, enrollment, byPIN: byPIN)
        return (device, enrollment, login, id)
    }

    /// Starts a login, and lets a device find its challenge.
    func login(
        on device: TokenDevice, _ enrollment: Enrollment, byPIN: Bool = false
    ) async throws -> (StartedLogin, Challenge.ID) {
        let login = try await server.startLogin(of: user, byPIN: byPIN)
        let found = try await device.poll(
            enrollment, is: "new: \(text)")
        return (login, try #require(found.first))
    }

    // MARK: The server's side

    func set(_ settings: ServerSetting...) async throws {
        for setting in settings { try await server.set(setting, for: user) }
    }

    /// Notes what a login page is told.
    func sees(
        _ login: StartedLogin, _ expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await note(
            "the page is told", try await server.state(of: login), expected, sourceLocation)
    }

    /// Notes what the last call of a login page is told.
    func finishes(
        _ login: StartedLogin, typing code: String = "", _ expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await note(
            "the page finishes", try await server.finish(login, typing: code), expected,
            sourceLocation)
    }

    /// Notes what the server knows of a token's device token.
    func knows(
        _ serial: String, _ expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await note(
            "the server's device token", try await server.deviceToken(of: serial) ?? "none",
            expected, sourceLocation)
    }

    func note(
        _ what: String, _ seen: String, _ expected: String? = nil,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // Device tokens have the user's name.
        await transcript.note("\(what): \(seen)")
        if let expected {
            #expect(seen == expected, "\(what)", sourceLocation: sourceLocation)
        }
    }

    /// Does something while the server takes no answer for longer than ``briefly``.
    func takingAnswersBriefly(_ body: () async throws -> Void) async throws {
        try await set(.validity(Self.briefly))
        do {
            try await body()
        } catch {
            try await set(.validity(120))
            throw error
        }
        try await set(.validity(120))
    }

    /// Lets the time of a login pass that was started meanwhile.
    func letTimePass() async throws {
        try await Task.sleep(for: .seconds(Self.briefly) + .milliseconds(500))
    }

    /// In seconds: long enough to get to the device on a busy machine.
    private static let briefly = 3

    /// Puts something before the server that can lose what passes: what is invited from now on leads
    /// there.
    func putUnreliableWay() async throws -> UnreliableWay {
        let way = try await UnreliableWay.start(
            to: server.origin, as: try server.authority.identity(), trusting: authorities)
        try await set(.address(way.origin + "/ttype/push"))
        return way
    }

    // MARK: Texts

    /// What a push and a list say of a login.
    var text: String { "Example Bank, Log in as \(user)?" }
}

extension Enrollment {
    /// The name of its token.
    var serial: String { id.name.split(separator: "@").first.map(String.init) ?? "" }
}
