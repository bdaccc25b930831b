import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting

/// AM 8.1 behind HTTPS, in a process of its own, with a log of what it took from whom.
actor SoakServer {
    private let simulator: ForgeRockSimulator
    private let server: LocalServer
    private let authority: LocalAuthority

    /// - Parameters:
    ///   - logFile: Where the log goes.
    ///   - seed: What pauses and troubles are drawn from.
    ///   - pause: How long it waits at most before it looks at a request, and before it replies.
    ///   - trouble: It refuses one request in so many, unseen, with 503; 0 for none.
    init(logFile: URL, seed: UInt64, pause: Int, trouble: Int) async throws {
        var configuration = ForgeRockSimulator.Configuration(
            generation: .d, realm: "/alpha", issuer: "Example Bank")
        // Nothing expires while it runs: what is open is open until it is answered.
        configuration.messageTimeout = .seconds(86_400)
        configuration.responseCacheDuration = .seconds(86_400)
        configuration.registrationTimeout = .seconds(86_400)
        let simulator = ForgeRockSimulator(configuration)
        let log = try ServerLog(logFile)
        let random = SeededRandom(seed: seed)
        authority = try LocalAuthority()
        server = try await LocalServer.start(.secure(try authority.identity())) { request, body in
            let number = await log.arrived(request, body)
            try? await Task.sleep(for: random.pause(upTo: pause))
            let isTroubled = trouble > 0 && random.oneIn(trouble)
            let reply =
                isTroubled
                ? (HTTPResponse(status: .serviceUnavailable), Data())
                : await simulator.respond(to: request, body: body)
            await log.replied(number, reply.0.status.code)
            try? await Task.sleep(for: random.pause(upTo: pause))
            return reply
        }
        try await simulator.move(to: server.origin)
        self.simulator = simulator
    }

    func answer(_ call: String, _ arguments: JSON) async throws -> JSON {
        switch call {
        case "authority": ["file": .string(authority.certificateFile.path)]
        case "invite": try await invite(arguments)
        case "login": try await login(arguments)
        case "status": try await status(arguments)
        case "devices": try await devices(arguments)
        default: throw PushError(.unsupported, "There is no call \(call).")
        }
    }

    func stop() async {
        await server.stop()
        authority.removeFile()
    }

    private func invite(_ arguments: JSON) async throws -> JSON {
        ["code": .string(try await simulator.enrollmentURI(for: arguments.text("user")))]
    }

    private func login(_ arguments: JSON) async throws -> JSON {
        let isNumber = arguments["number"]?.bool == true
        let login = try await simulator.startLogin(
            of: arguments.text("user"), asking: isNumber ? .number : .confirm)
        guard let push = await simulator.takePushes().last else {
            throw PushError(.notFound, "No push was sent.")
        }
        var reply: JSON.Object = [
            "login": .string(login.id),
            "payload": .string(String(decoding: push.payload, as: UTF8.self)),
        ]
        reply["shown"] = login.shown.map(JSON.string)
        return .object(reply)
    }

    private func status(_ arguments: JSON) async throws -> JSON {
        ["status": .string("\(try await simulator.status(of: arguments.text("login")))")]
    }

    private func devices(_ arguments: JSON) async throws -> JSON {
        let devices = try await simulator.devices(of: arguments.text("user"))
        return .object(
            JSON.Object(
                devices.map { device in
                    let token = if case .apns(let hex, _) = device.deviceToken { hex } else { "" }
                    return (device.mechanismUID, .string(token))
                }))
    }
}
