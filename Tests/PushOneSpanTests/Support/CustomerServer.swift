import Foundation
import HTTPTypes
import PushCore
import PushOneSpanSimulator
import PushTesting

/// The customer's application server, as nasty as a test wants it: it stands between the app
/// and the simulator, sees every command, and may lose, change, repeat or hold any.
actor CustomerServer {
    /// What it does with one command.
    enum Deed: Sendable {
        /// It relays nothing and replies 503.
        case refuse
        /// It relays, and loses the reply: 504.
        case lose
        /// It turns a bit of the command before it relays it.
        case turn(bit: Int)
        /// It turns a bit of the reply.
        case turnReply(bit: Int)
        /// It relays, and replies with this in place of the reply.
        case reply(Command, status: Int = 200)
        /// It replies with this and relays nothing.
        case invent(status: Int, String)
        /// It waits before it relays.
        case hold(Gate)
        /// It relays, and waits before it replies.
        case holdReply(Gate)
        /// Something happens first.
        case first(@Sendable () async throws -> Void)
    }

    /// One command, and what the app got for it.
    struct Exchange: Sendable {
        let command: Command
        let reply: Command?
        let status: Int
    }

    let tenant: OneSpanSimulator
    private(set) var exchanges: [Exchange] = []
    private(set) var arrivals: [Command] = []
    private var watchers: [(type: UInt8, CheckedContinuation<Void, Never>)] = []
    private var planned: [(type: UInt8, deed: Deed)] = []

    init(_ tenant: OneSpanSimulator) { self.tenant = tenant }

    /// Plans what happens to the next command of a type; an earlier plan comes first.
    func next(_ deed: Deed, at type: UInt8) { planned.append((type, deed)) }

    func next(_ deed: Deed, at type: UInt8, times: Int) {
        for _ in 0..<times { next(deed, at: type) }
    }

    /// Returns once the last command that got a reply, or lost it, is of a type.
    func untilAnswered(_ type: UInt8) async {
        guard exchanges.last?.command.type != type else { return }
        await withCheckedContinuation { watchers.append((type, $0)) }
    }

    /// The commands that arrived, in their order, repetitions included.
    var types: [UInt8] { arrivals.map(\.type) }

    /// The commands of a type that arrived.
    func commands(_ type: UInt8) -> [Command] { arrivals.filter { $0.type == type } }

    /// The replies that the app got to commands of a type.
    func replies(to type: UInt8) -> [Command] {
        exchanges.filter { $0.command.type == type }.compactMap(\.reply)
    }

    func forget() {
        arrivals = []
        exchanges = []
    }

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        guard let command = Self.command(in: body) else {
            return await tenant.respond(to: request, body: body)
        }
        arrivals.append(command)
        let index = planned.firstIndex { $0.type == command.type }
        let deed = index.map { planned.remove(at: $0).deed }
        let reply = await perform(deed, command, request)
        exchanges.append(
            Exchange(
                command: command, reply: Self.command(in: reply.body),
                status: reply.response.status.code))
        for watcher in watchers where watcher.type == command.type { watcher.1.resume() }
        watchers.removeAll { $0.type == command.type }
        return reply
    }

    private func perform(
        _ deed: Deed?, _ command: Command, _ request: HTTPRequest
    ) async -> (response: HTTPResponse, body: Data) {
        switch deed {
        case .refuse: return Self.failure(503)
        case .lose:
            _ = await relay(command, request)
            return Self.failure(504)
        case .turn(let bit): return await relay(command.turned(bit: bit), request)
        case .turnReply(let bit):
            let reply = await relay(command, request)
            guard let changed = Self.command(in: reply.body)?.turned(bit: bit) else {
                return reply
            }
            return (reply.response, Self.body(changed))
        case .reply(let other, let status):
            _ = await relay(command, request)
            return (HTTPResponse(status: .init(code: status)), Self.body(other))
        case .invent(let status, let text):
            return (HTTPResponse(status: .init(code: status)), Data(text.utf8))
        case .hold(let gate):
            await gate.pass()
            return await relay(command, request)
        case .holdReply(let gate):
            let reply = await relay(command, request)
            await gate.pass()
            return reply
        case .first(let body):
            try? await body()
            return await relay(command, request)
        case nil: return await relay(command, request)
        }
    }

    /// Hands a command to the simulator, as the app or as anyone who has recorded it.
    @discardableResult
    func post(_ command: Command) async throws -> Command? {
        let endpoint = try Endpoint(await tenant.commandURL)
        let request = endpoint.request(.post, headers: [.contentType: "application/json"])
        return Self.command(in: await relay(command, request).body)
    }

    /// Takes a command from an app that carries commands itself, with all that is planned.
    func carry(_ command: Command) async throws -> Command? {
        let endpoint = try Endpoint(await tenant.commandURL)
        let request = endpoint.request(.post, headers: [.contentType: "application/json"])
        return Self.command(in: await respond(to: request, body: Self.body(command)).body)
    }

    private func relay(
        _ command: Command, _ request: HTTPRequest
    ) async -> (response: HTTPResponse, body: Data) {
        await tenant.respond(to: request, body: Self.body(command))
    }

    private static func failure(_ status: Int) -> (response: HTTPResponse, body: Data) {
        (HTTPResponse(status: .init(code: status)), Data())
    }

    private static func body(_ command: Command) -> Data {
        let body: JSON = ["command": .string(command.hex)]
        return body.data
    }

    private static func command(in body: Data) -> Command? {
        (try? JSON(parsing: body))?["command"]?.string.flatMap { Command(hex: $0) }
    }
}
