import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushTesting

/// AM 8.1 and a manager behind HTTPS, in a process of their own, with one log of what they
/// took from whom.
actor SoakServer {
    private let vendors: [SoakVendor: LastingServer]
    private let servers: [LocalServer]
    private let log: ServerLog
    private let authority: LocalAuthority

    /// What the manager is called.
    static let manager = "idm-soak"

    /// - Parameters:
    ///   - logFile: Where the log goes.
    ///   - seed: What pauses and troubles are drawn from.
    ///   - pause: How long it waits at most before it looks at a request, and before it replies.
    ///   - trouble: AM refuses one request in so many, unseen, with 503, and the manager twice as
    ///     many; 0 for none.
    /// - Throws: What opening the log throws.
    init(logFile: URL, seed: UInt64, pause: Int, trouble: Int) async throws {
        let parts = [
            (SoakVendor.whole, LabVendors.keepingWhole, trouble),
            // Twice as often, so that more answers must be made again.
            (.part, LabVendors.keepingPart, trouble / 2),
        ]
        authority = try LocalAuthority()
        log = try ServerLog(logFile)
        let road = Road(log: log, random: SeededRandom(seed: seed), pause: pause)
        let identity = try authority.identity()
        var vendors: [SoakVendor: LastingServer] = [:]
        var servers: [LocalServer] = []
        for (name, vendor, trouble) in parts {
            // Nothing expires while it runs: what is open is open until it is answered.
            guard let server = vendor.lasting?() else { continue }
            vendors[name] = server
            servers.append(
                try await road.lead(to: server.simulator, as: identity, trouble: trouble))
        }
        (self.vendors, self.servers) = (vendors, servers)
    }

    func answer(_ call: String, _ arguments: JSON) async throws -> JSON {
        switch call {
        case "authority": ["file": .string(authority.certificateFile.path)]
        case "invite": try await invite(arguments)
        case "login": try await login(arguments)
        case "status": try await status(arguments)
        case "devices": try await devices(arguments)
        case "approvals": try await approvals(arguments)
        default: throw PushError(.unsupported, "There is no call \(call).")
        }
    }

    func stop() async {
        for server in servers { await server.stop() }
        authority.removeFile()
    }

    private func vendor(in arguments: JSON) throws(PushError) -> LastingServer {
        guard let vendor = vendors[SoakVendor(name: try arguments.text("vendor"))] else {
            throw PushError(.unsupported, "There is no such vendor here.")
        }
        return vendor
    }

    private func invite(_ arguments: JSON) async throws -> JSON {
        let invitation = try await vendor(in: arguments).simulator
            .invitation(for: arguments.text("user"))
        guard let code = invitation.scannedText else {
            throw PushError(.unsupported, "The invitation is no code.")
        }
        return ["code": .string(code)]
    }

    private func login(_ arguments: JSON) async throws -> JSON {
        let simulator = try vendor(in: arguments).simulator
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
        let simulator = try vendor(in: arguments).simulator
        return ["status": .string("\(try await simulator.status(of: arguments.text("login")))")]
    }

    /// How many answers with a PIN have come: asked for more than there were, it waits for one, for a
    /// third of a second.
    private func approvals(_ arguments: JSON) async throws -> JSON {
        let deadline = ContinuousClock.now + .milliseconds(300)
        while let before = arguments["after"]?.integer, await log.approvals <= before,
            ContinuousClock.now < deadline
        {
            try await Task.sleep(for: .milliseconds(1))
        }
        return ["count": .number(JSON.Number(await log.approvals))]
    }

    /// Those of AM alone: the manager's one device is never drawn.
    private func devices(_ arguments: JSON) async throws -> JSON {
        let devices = try await vendors[.whole]?.devices(arguments.text("user")) ?? []
        return .object(
            JSON.Object(
                devices.map { device in
                    let token = if case .apns(let hex, _) = device.token { hex } else { "" }
                    return (device.name, .string(token))
                }))
    }
}

/// The way to the simulators: it is slow, leads into trouble at times, and everything on it is logged.
private struct Road: Sendable {
    let log: ServerLog
    let random: SeededRandom
    let pause: Int

    func lead(
        to simulator: some VendorSimulator, as identity: LocalIdentity, trouble: Int
    ) async throws -> LocalServer {
        let server = try await LocalServer.start(.secure(identity)) { request, body in
            let number = await log.arrived(request, body)
            try? await Task.sleep(for: random.pause(upTo: pause))
            let isTroubled = trouble > 0 && random.oneIn(trouble)
            let reply =
                isTroubled
                ? (HTTPResponse(status: .serviceUnavailable), Data())
                : await simulator.respond(to: request, body: body)
            await log.replied(number, reply.0.status.code, reply.1)
            try? await Task.sleep(for: random.pause(upTo: pause))
            return reply
        }
        try await simulator.move(to: server.origin)
        return server
    }
}
