import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The network between a phone and its vendor, of which a check spoils one exchange.
actor SpoiledNetwork: Transport {
    typealias Reply = (response: HTTPResponse, body: Data)

    /// What becomes of an exchange.
    enum Trouble: CaseIterable, Sendable {
        /// The server can't be reached.
        case refused
        /// The request is lost; the phone can't know.
        case lostRequest
        /// The reply is lost; the phone can't know.
        case lostReply
        /// A portal answers in the server's place, and is content.
        case portal
        /// A gateway answers in the server's place, and forbids.
        case gateway
        /// A gateway answers in the server's place, and finds nothing.
        case missing
        /// A gateway answers in the server's place, because the server is down.
        case unavailable

        var name: String {
            switch self {
            case .refused: "an unreachable server"
            case .lostRequest: "a lost request"
            case .lostReply: "a lost reply"
            case .portal: "a portal's page with status 200"
            case .gateway: "a gateway's page with status 403"
            case .missing: "a gateway's page with status 404"
            case .unavailable: "a gateway's page with status 503"
            }
        }

        fileprivate var status: Int? {
            switch self {
            case .refused, .lostRequest, .lostReply: nil
            case .portal: 200
            case .gateway: 403
            case .missing: 404
            case .unavailable: 503
            }
        }
    }

    private let simulator: any VendorSimulator
    private var trouble: (kind: Trouble, exchange: Int)?
    private var others: [Reply] = []
    private var replies: [Reply] = []

    /// How many requests were sent since the last ``heal()``.
    private(set) var count = 0

    init(to simulator: any VendorSimulator) {
        self.simulator = simulator
    }

    /// Spoils one exchange, counted from 0.
    func spoil(_ exchange: Int, by kind: Trouble) {
        _ = heal()
        trouble = (kind, exchange)
    }

    /// Gives the next requests what others got.
    func reply(with others: [Reply]) {
        _ = heal()
        self.others = others
    }

    /// Lets everything arrive again.
    ///
    /// - Returns: What the server said since the last time, and whether an exchange was spoiled.
    @discardableResult
    func heal() -> (replies: [Reply], isSpoiled: Bool) {
        defer { (trouble, others, replies, count) = (nil, [], [], 0) }
        return (replies, trouble.map { $0.exchange < count } ?? false)
    }

    func send(_ request: HTTPRequest, body: Data) async throws(PushError) -> Reply {
        let number = count
        count += 1
        guard others.isEmpty else { return others.removeFirst() }
        guard let kind = trouble?.kind, trouble?.exchange == number else {
            return await processed(request, body)
        }
        if let status = kind.status {
            var response = HTTPResponse(status: .init(code: status))
            response.headerFields[.contentType] = "text/html"
            return (response, Data("<html><body>Please log in.</body></html>".utf8))
        }
        if kind == .refused { throw PushError(.unreachable, "The server refuses connections.") }
        if kind == .lostReply { _ = await processed(request, body) }
        throw PushError(.interrupted, "The connection broke.")
    }

    private func processed(_ request: HTTPRequest, _ body: Data) async -> Reply {
        let reply = await simulator.respond(to: request, body: body)
        replies.append(reply)
        return reply
    }
}
