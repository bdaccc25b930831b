import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

struct SimulatedTransportTests {
    private static let reply = Data([0b1010_1010, 0xFF, 0x00])
    private let plan = FaultPlan()
    private let clock = ManualClock(Date(timeIntervalSince1970: 0))

    private func network() -> SimulatedTransport {
        let clock = clock
        return SimulatedTransport(faults: plan, delay: { clock.advance(by: $0) }) { request, body in
            (HTTPResponse(status: .ok), body.isEmpty ? Self.reply : body)
        }
    }

    private func send(
        _ network: SimulatedTransport, _ path: String = "/", _ body: Data = Data()
    ) async throws -> (response: HTTPResponse, body: Data) {
        let request = try Endpoint("https://acme.example\(path)").request(.post)
        return try await network.send(request, body: body)
    }

    private func failure(_ network: SimulatedTransport) async -> PushError.Code? {
        do {
            _ = try await send(network)
            return nil
        } catch {
            return (error as? PushError)?.code
        }
    }

    @Test func `an exchange without faults passes through, and is remembered`() async throws {
        let network = network()
        let reply = try await send(network, "/a?b", Data("x".utf8))
        #expect(reply.response.status == .ok && reply.body == Data("x".utf8))
        let exchange = try #require(await network.exchanges.first)
        #expect(exchange.request.path == "/a?b" && exchange.body == Data("x".utf8))
        #expect(exchange.response.status == .ok && exchange.responseBody == Data("x".utf8))
    }

    @Test func `of several simulators each is reached at its own host, and no other host is`()
        async throws
    {
        let servers = (one: AcmeServer(clock: clock), other: AcmeServer(clock: clock))
        let network = SimulatedTransport(toHosts: [
            "one.example": servers.one, "other.example:8443": servers.other,
        ])
        func status(_ host: String) async throws -> Int {
            let request = try Endpoint("https://\(host)/nowhere").request(.post)
            return try await network.send(request, body: Data()).response.status.code
        }
        let own = await servers.one.respond(
            to: try Endpoint("https://one.example/nowhere").request(.post), body: Data())
        #expect(try await status("one.example") == own.response.status.code)
        #expect(try await status("other.example:8443") == own.response.status.code)
        #expect(own.response.status.code != 421)
        for host in ["other.example", "three.example", "one.example:8443"] {
            #expect(try await status(host) == 421)
        }
    }

    @Test func `a reply is given with its fields, and without the server`() async throws {
        let network = network()
        var busy = HTTPResponse(status: .tooManyRequests)
        busy.headerFields[.retryAfter] = "120"
        await plan.next(.reply(busy))
        let reply = try await send(network, "/", Data("x".utf8))
        #expect(reply.response == busy && reply.body.isEmpty)
        #expect(await network.exchanges.isEmpty)
    }

    @Test(
        arguments: [
            (FaultPlan.Fault.refuse, PushError.Code.unreachable, 0), (.dropBefore, .interrupted, 0),
            (.dropAfter, .interrupted, 1),
        ] as [(FaultPlan.Fault, PushError.Code, Int)])
    func `a broken connection says whether the server may know`(
        fault: FaultPlan.Fault, code: PushError.Code, processed: Int
    ) async throws {
        let network = network()
        await plan.next(fault)
        #expect(await failure(network) == code)
        #expect(await network.exchanges.count == processed)
        #expect(await failure(network) == nil)
    }

    @Test(arguments: [(503, 503), (429, 429), (302, 302), (7, 100), (9999, 599)])
    func `a status is made up without the server`(given: Int, seen: Int) async throws {
        let network = network()
        await plan.next(.status(given))
        let reply = try await send(network)
        #expect(reply.response.status.code == seen && reply.body.isEmpty)
        #expect(await network.exchanges.isEmpty)
    }

    @Test func `a duplicate reaches the server twice`() async throws {
        let network = network()
        await plan.next(.duplicate)
        _ = try await send(network)
        #expect(await network.exchanges.count == 2)
    }

    @Test func `a delay takes its time, by the clock that is given`() async throws {
        let network = network()
        await plan.next(.delay(.seconds(30)))
        #expect(try await send(network).body == Self.reply)
        #expect(clock.elapsed == .seconds(30))
    }

    @Test(arguments: [(0, 0), (2, 2), (9, 3), (-1, 0)])
    func `a reply is cut`(count: Int, left: Int) async throws {
        let network = network()
        await plan.next(.truncate(count))
        #expect(try await send(network).body == Self.reply.prefix(left))
    }

    @Test(
        arguments: [
            (0, [0b0010_1010, 0xFF, 0]), (7, [0b1010_1011, 0xFF, 0]), (8, [0b1010_1010, 0x7F, 0]),
            (23, [0b1010_1010, 0xFF, 1]), (24, [0b0010_1010, 0xFF, 0]),
            (-8, [0b1010_1010, 0x7F, 0]),
            (Int.min, [0b1010_1010, 0x7F, 0]),
        ] as [(Int, [UInt8])])
    func `one bit of a reply is flipped`(bit: Int, body: [UInt8]) async throws {
        let network = network()
        await plan.next(.corrupt(bit: bit))
        #expect(Array(try await send(network).body) == body)
    }

    @Test func `an empty reply can't be corrupted`() async throws {
        let network = SimulatedTransport(faults: plan) { _, _ in (.init(status: .ok), Data()) }
        await plan.next(.corrupt(bit: 3))
        #expect(try await send(network).body.isEmpty)
    }

    @Test func `faults come in order, to the exchanges they are meant for`() async throws {
        let network = network()
        await plan.next(.status(501), where: { $0.path == "/b" })
        await plan.next(.status(502))
        await plan.next(.delay(.seconds(1)), .truncate(1))
        #expect(await plan.remaining == 3)
        #expect(try await send(network, "/a").response.status.code == 502)
        #expect(try await send(network, "/b").response.status.code == 501)
        #expect(try await send(network, "/a").body.count == 1)
        #expect(clock.elapsed == .seconds(1))
        #expect(await plan.remaining == 0)
    }

    @Test func `a cancelled task sends nothing`() async throws {
        let network = network()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure(network)
        }
        #expect(await task.value == .cancelled)
        #expect(await network.exchanges.isEmpty)
    }

    @Test func `a task that is cancelled while the reply is late is interrupted`() async throws {
        let network = SimulatedTransport(
            faults: plan,
            delay: { _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        ) { _, _ in (.init(status: .ok), Data()) }
        await plan.next(.delay(.seconds(1)))
        let task = Task { await failure(network) }
        #expect(await task.value == .interrupted)
        #expect(await network.exchanges.count == 1)
    }

    @Test func `time passes by itself unless a clock is given`() async throws {
        let network = SimulatedTransport(faults: plan) { _, _ in (.init(status: .ok), Data()) }
        await plan.next(.delay(.nanoseconds(1)))
        #expect(try await send(network).response.status == .ok)
    }

    @Test func `a simulator can be the server`() async throws {
        let network = SimulatedTransport(to: TeapotSimulator(), faults: plan)
        #expect(try await send(network).response.status.code == 418)
    }
}

/// A vendor that only makes tea.
private struct TeapotSimulator: VendorSimulator {
    let name = "Teapot"

    func move(to origin: String) async throws(PushError) {}

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        (HTTPResponse(status: .init(code: 418)), Data())
    }

    func takePushes() async -> [SimulatedPush] { [] }

    func invitation(for user: String) async throws(PushError) -> Invitation { .typed(text: user) }

    func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind
    ) async throws(PushError) -> SimulatedLogin {
        SimulatedLogin(id: user)
    }

    func status(
        of login: SimulatedLogin.ID
    ) async throws(PushError) -> SimulatedLogin.Status { .waiting }
}
