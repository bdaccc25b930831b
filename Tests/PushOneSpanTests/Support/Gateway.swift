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
    private var lost: String?
    private var partner: (reply: Reply, other: CheckedContinuation<(HTTPResponse, Data), Never>)?

    init(before network: any Transport) { self.network = network }

    /// Answers in the server's place from now on; `nil`: no longer.
    func answer(as stranger: Stranger?) { self.stranger = stranger }

    /// Writes this into the field `Date` of each reply.
    func say(date: String?) { self.date = date }

    /// Loses the reply to the next command of a type of OOC/1's, whose digits stand behind magic and
    /// suite.
    func loseReply(to type: String) { lost = type }

    /// Exchanges the replies to the next two commands.
    func exchangeReplies() { isExchanging = true }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        var reply: Reply
        let command = (try? JSON(parsing: body))?["command"]?.string
        if let lost, command?.dropFirst(10).hasPrefix(lost) == true {
            self.lost = nil
            _ = try await network.send(request, body: body)
            throw PushError(.interrupted, "The reply is lost.")
        }
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
