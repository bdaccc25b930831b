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
    enum Trouble: Hashable, Sendable {
        /// The server can't be reached.
        case refused
        /// The request is lost; the phone can't know.
        case lostRequest
        /// The reply is lost; the phone can't know.
        case lostReply
        /// A portal or a gateway answers in the server's place.
        case page(Int)
        /// The server answers, and its reply says something else: the change of this number.
        case changedReply(Int)

        /// What befalls an exchange as a whole.
        static let whole: [Trouble] =
            [.refused, .lostRequest, .lostReply]
            + [200, 202, 302, 403, 404, 429, 502, 503].map { .page($0) }

        var name: String {
            switch self {
            case .refused: "an unreachable server"
            case .lostRequest: "a lost request"
            case .lostReply: "a lost reply"
            case .page(let status):
                "a \(status < 400 ? "portal" : "gateway")'s page with status \(status)"
            case .changedReply(let number): "change \(number) of a reply"
            }
        }
    }

    /// What a phone's network did since it was spoiled.
    struct Heard {
        /// What the server said, whatever arrived.
        let replies: [Reply]
        /// How many requests were sent.
        let count: Int
        /// How the exchange was spoiled; `nil` if it wasn't.
        let spoiling: Spoiling?

        var isSpoiled: Bool { spoiling != nil }
    }

    /// How an exchange was spoiled, and what that is to who reads the reply.
    struct Spoiling {
        let summary: String
        /// A page in the server's place is as unreadable as a member of another type.
        var kind = JSONMutation.Kind.unreadable
        /// Whether it was the server that replied.
        var isServers = false
    }

    private let simulator: any VendorSimulator
    private var provider: ProviderID?
    private var trouble: (kind: Trouble, exchange: Int)?
    private var spoiling: Spoiling?
    private var others: [Reply] = []
    private var replies: [Reply] = []

    private var count = 0

    /// Whether a request was sent as another's than the provider's, or as nobody's.
    private(set) var hasForeign = false

    init(to simulator: any VendorSimulator) {
        self.simulator = simulator
    }

    /// From now on all requests must be a provider's.
    func listen(for provider: ProviderID) {
        self.provider = provider
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
    @discardableResult
    func heal() -> Heard {
        defer { (trouble, spoiling, others, replies, count) = (nil, nil, [], [], 0) }
        return Heard(replies: replies, count: count, spoiling: spoiling)
    }

    func send(_ request: HTTPRequest, body: Data) async throws(PushError) -> Reply {
        let number = count
        count += 1
        if ProviderID.sending != provider { hasForeign = true }
        guard others.isEmpty else { return others.removeFirst() }
        guard let kind = trouble?.kind, trouble?.exchange == number else {
            return await processed(request, body)
        }
        spoiling = Spoiling(summary: kind.name)
        switch kind {
        case .refused: throw PushError(.unreachable, "The server refuses connections.")
        case .lostRequest: throw PushError(.interrupted, "The connection broke.")
        case .lostReply:
            _ = await processed(request, body)
            throw PushError(.interrupted, "The connection broke.")
        case .page(let status):
            var response = HTTPResponse(status: .init(code: status))
            response.headerFields[.contentType] = "text/html"
            return (response, Data("<html><body>Please log in.</body></html>".utf8))
        case .changedReply(let change):
            return changed(await processed(request, body), by: change)
        }
    }

    /// The reply with one member changed if it is JSON, else with some of its bytes, if it has as many
    /// changes.
    private func changed(_ reply: Reply, by number: Int) -> Reply {
        if let json = try? JSON(parsing: reply.body) {
            let changes = JSONMutation.misreadings(of: json)
            if changes.indices.contains(number) {
                let change = changes[number]
                spoiling = Spoiling(summary: change.summary, kind: change.kind, isServers: true)
                return (reply.response, change.value.data)
            }
        } else if let last = reply.body.last, number < 2 {
            let isCut = number == 0
            spoiling = Spoiling(
                summary: isCut ? "all cut in half" : "all but its end", isServers: true)
            let body =
                isCut ? reply.body.prefix(reply.body.count / 2) : reply.body.dropLast() + [last ^ 1]
            return (reply.response, Data(body))
        }
        spoiling = nil
        return reply
    }

    private func processed(_ request: HTTPRequest, _ body: Data) async -> Reply {
        let reply = await simulator.respond(to: request, body: body)
        replies.append(reply)
        return reply
    }
}
