import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushPlatform

/// What stands between a device and a server: it passes everything on, unless it was told to lose it.
actor UnreliableWay {
    enum Loss: Sendable {
        /// The next posted request doesn't arrive.
        case request
        /// The next posted request arrives, and its reply doesn't.
        case reply
    }

    private let target: URL
    private let transport: SystemTransport
    private var server: LocalServer?
    private var loss: Loss?
    private var lost = Event()
    private var end: Event?

    static func start(
        to origin: String, as identity: LocalIdentity, trusting authorities: URL
    ) async throws -> UnreliableWay {
        guard let target = URL(string: origin) else {
            throw PushError(.invalidArgument, "It isn't an origin.")
        }
        let way = UnreliableWay(to: target, trusting: authorities)
        let server = try await LocalServer.start(.secure(identity)) { await way.pass($0, $1) }
        await way.keep(server)
        return way
    }

    private init(to target: URL, trusting authorities: URL) {
        self.target = target
        transport = SystemTransport(.init(certificateAuthorities: .file(authorities.path)))
    }

    private func keep(_ server: LocalServer) { self.server = server }

    var origin: String { server?.origin ?? "" }

    func stop() async {
        await server?.stop()
    }

    /// Loses what is posted next.
    ///
    /// - Parameters:
    ///   - loss: What of it.
    ///   - end: Until when the connection stays open; it is closed at once by default.
    /// - Returns: What happens once it is lost.
    @discardableResult
    func lose(_ loss: Loss, until end: Event? = nil) -> Event {
        self.loss = loss
        self.end = end
        lost = Event()
        return lost
    }

    private func pass(
        _ request: HTTPRequest, _ body: Data
    ) async -> (response: HTTPResponse, body: Data)? {
        var request = request
        request.scheme = "https"
        request.authority = "\(target.host ?? ""):\(target.port ?? 443)"
        let loss = request.method == .post ? loss : nil
        if loss != nil { self.loss = nil }
        var reply: (response: HTTPResponse, body: Data)?
        if loss != .request { reply = try? await transport.send(request, body: body) }
        guard loss == nil, let reply else {
            lost.happen()
            await end?.wait()
            return nil
        }
        // As LocalServer counts the body itself.
        var response = reply.response
        response.headerFields[.contentLength] = nil
        response.headerFields[.connection] = nil
        response.headerFields[.transferEncoding] = nil
        return (response, reply.body)
    }
}
