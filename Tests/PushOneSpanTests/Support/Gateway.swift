import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

/// Whoever ends TLS before the customer's server, such as a gateway, a portal, or an attacker: it
/// passes exchanges through, unless it is told to write their replies.
actor Gateway: Transport {
    /// A reply that isn't the server's.
    struct Stranger: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String

        /// Whether the server has processed the command all the same.
        var isAfterwards = false

        var testDescription: String { "\(status) \(body.prefix(40))" }
    }

    private typealias Reply = (response: HTTPResponse, body: Data)

    private let network: any Transport
    private var stranger: Stranger?
    private var date: String?
    private var isExchanging = false
    private var partner: (reply: Reply, other: CheckedContinuation<(HTTPResponse, Data), Never>)?

    init(before network: any Transport) { self.network = network }

    /// Answers in the server's place from now on; `nil`: no longer.
    func answer(as stranger: Stranger?) { self.stranger = stranger }

    /// Writes this into the field `Date` of each reply.
    func say(date: String?) { self.date = date }

    /// Exchanges the replies to the next two commands.
    func exchangeReplies() { isExchanging = true }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        var reply: Reply
        if let stranger {
            if stranger.isAfterwards { _ = try await network.send(request, body: body) }
            reply = (
                HTTPResponse(status: .init(code: stranger.status)), Data(stranger.body.utf8)
            )
        } else {
            reply = try await network.send(request, body: body)
        }
        if let date { reply.response.headerFields[.date] = date }
        guard isExchanging else { return reply }
        if let (theirs, other) = partner {
            partner = nil
            isExchanging = false
            other.resume(returning: reply)
            return theirs
        }
        return await withCheckedContinuation { partner = (reply, $0) }
    }
}
