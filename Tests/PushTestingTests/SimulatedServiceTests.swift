import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

/// A vendor's server that greets.
private actor Greeter: SimulatedService, ShelledService {
    struct Configuration { var greeting = "hello" }

    enum BadPush { case repeated }

    nonisolated let name = "Greeter"
    var configuration = Configuration()
    var shell = SimulatorShell(at: "https://greeter.example")
    private var forced = FaultQueue<Int>()

    func force(status: Int, times: Int) { forced.add(status, times: times) }

    func reply(to request: SimulatedRequest) -> SimulatedReply {
        let status = forced.take()
        return SimulatedReply(
            status: .init(code: status ?? 200), type: "text/plain",
            body: Data((status == nil ? configuration.greeting : "forced").utf8))
    }

    func invitation(for user: String) -> Invitation { .scanned(text: user) }

    func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadPush?
    ) -> SimulatedLogin {
        let push = SimulatedPush(to: .fcm(user), payload: Data("{}".utf8))
        shell.send(fault == .repeated ? [push, push] : [push])
        return SimulatedLogin(id: user)
    }

    func status(of login: SimulatedLogin.ID) -> SimulatedLogin.Status { .waiting }
}

@Suite struct SimulatedServiceTests {
    private let greeter = Greeter()
    private let request = HTTPRequest(
        method: .get, scheme: "https", authority: "greeter.example", path: "/")

    /// What a test does to any simulator.
    private func force(_ status: Int, times: Int, on service: some SimulatedService) async {
        await service.force(status: status, times: times)
    }

    @Test func `a forced status comes as often as it was asked for, first and unlooked`() async {
        await force(503, times: 2, on: greeter)
        await force(404, times: 1, on: greeter)
        await force(500, times: -1, on: greeter)
        for expected in [503, 503, 404, 200] {
            let reply = await greeter.respond(to: request, body: Data())
            #expect(reply.response.status.code == expected)
        }
        #expect(await greeter.exchanges.map(\.status) == [503, 503, 404, 200])
    }

    @Test func `an exchange is kept as it came and went`() async throws {
        await greeter.configure { $0.greeting = "good morning" }
        _ = await greeter.respond(to: request, body: Data("hi".utf8))
        let exchange = try #require(await greeter.exchanges.first)
        #expect(exchange.request == request)
        #expect(exchange.body == Data("hi".utf8))
        #expect(exchange.responseBody == Data("good morning".utf8))
    }

    @Test func `of many exchanges the latest 10,000 are kept`() async {
        for number in 0..<10_002 {
            _ = await greeter.respond(to: request, body: Data("\(number)".utf8))
        }
        let exchanges = await greeter.exchanges
        #expect(exchanges.count == 10_000)
        #expect(exchanges.first?.body == Data("2".utf8))
        #expect(exchanges.last?.body == Data("10001".utf8))
    }

    @Test func `a push is taken once`() async throws {
        _ = try await greeter.startLogin(of: "ada", asking: .confirm)
        _ = try await greeter.startLogin(of: "bob", asking: .confirm)
        #expect(await greeter.takePushes().map(\.deviceToken) == [.fcm("ada"), .fcm("bob")])
        #expect(await greeter.takePushes().isEmpty)
    }

    @Test(arguments: [
        "greeter.example", "https://greeter.example/", "https://greeter.example/a", "",
        "https://u@greeter.example",
    ])
    func `anything but scheme, host and port is no origin`(text: String) async {
        await #expect(throws: PushError.self) { try await greeter.move(to: text) }
        #expect(await greeter.origin == "https://greeter.example")
    }

    @Test func `it moves to another port`() async throws {
        try await greeter.move(to: "http://127.0.0.1:8080")
        #expect(await greeter.origin == "http://127.0.0.1:8080")
    }
}
