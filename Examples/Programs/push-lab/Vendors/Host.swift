import Foundation
import HTTPTypes
import LocalServer
import PushTesting

/// Keeps one simulator behind a server, which may go down and come up again at the same place.
actor Host {
    private let wire: LocalServer.Wire
    private let simulator: any VendorSimulator
    private let troubles = Troubles()
    private var server: LocalServer

    /// Starts the server.
    init(_ simulator: some VendorSimulator, speaking wire: LocalServer.Wire) async throws {
        self.wire = wire
        self.simulator = simulator
        server = try await Self.start(simulator, wire, troubles, at: 0)
        try await simulator.move(to: server.origin)
    }

    /// Closes every connection; from now on, nobody can connect.
    func stop() async {
        await server.stop()
    }

    /// Listens again, at the same port.
    func restart() async throws {
        server = try await Self.start(simulator, wire, troubles, at: server.port)
    }

    /// How many requests came since it last started to listen.
    var requestCount: Int { server.traffic.http1Requests + server.traffic.http2Requests }

    /// Lets the simulator take the next request, and closes the connection instead of replying.
    ///
    /// - Parameters:
    ///   - ending: What the request's path ends in; any by default.
    ///   - event: What happens before the connection is closed.
    func loseNextReply(
        to ending: String = "", after event: @escaping @Sendable () async -> Void = {}
    ) async {
        await troubles.planLoss(to: ending, event)
    }

    /// Answers the next requests in the server's place, as a gateway before it would: with a status
    /// and a page for people. The simulator never hears of them.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - times: How many requests get it.
    func answerAsGateway(_ status: HTTPResponse.Status, times: Int = 1) async {
        await troubles.planGateway(status, times: times)
    }

    /// How many requests a gateway is still to answer.
    var gatewayCount: Int {
        get async { await troubles.gatewayCount }
    }

    private static func start(
        _ simulator: any VendorSimulator, _ wire: LocalServer.Wire, _ troubles: Troubles,
        at port: Int
    ) async throws -> LocalServer {
        try await LocalServer.start(wire, at: port) { request, body in
            if let reply = await troubles.takeGateway() { return reply }
            let reply = await simulator.respond(to: request, body: body)
            guard let event = await troubles.takeLoss(of: request) else { return reply }
            await event()
            return nil
        }
    }
}

/// What stands between a device and the simulator at the next requests.
private actor Troubles {
    private var loss: (ending: String, event: @Sendable () async -> Void)?
    private var gateway: [HTTPResponse.Status] = []

    var gatewayCount: Int { gateway.count }

    func planLoss(to ending: String, _ event: @escaping @Sendable () async -> Void) {
        loss = (ending, event)
    }

    func takeLoss(of request: HTTPRequest) -> (@Sendable () async -> Void)? {
        guard let loss, loss.ending.isEmpty || request.path?.hasSuffix(loss.ending) == true else {
            return nil
        }
        self.loss = nil
        return loss.event
    }

    func planGateway(_ status: HTTPResponse.Status, times: Int) {
        gateway += Array(repeating: status, count: times)
    }

    func takeGateway() -> (response: HTTPResponse, body: Data)? {
        guard !gateway.isEmpty else { return nil }
        let status = gateway.removeFirst()
        let page = "<!DOCTYPE html><title>\(status)</title><h1>\(status)</h1>"
        return (
            HTTPResponse(status: status, headerFields: [.contentType: "text/html"]),
            Data(page.utf8)
        )
    }
}
