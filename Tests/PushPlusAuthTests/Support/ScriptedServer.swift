import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting

/// The tenant's two endpoints as far as these tests need them: they say what the test wants.
actor ScriptedServer {
    /// A reply that isn't just a success.
    struct Reply: Sendable {
        var status: Int
        var body = ""
        var fields: [String: String] = [:]

        /// A refusal as the documentation shows it, with a word that it lists for the status.
        static func refusal(_ status: Int, _ word: String? = nil) -> Reply {
            let words = [
                400: "invalid_request", 401: "unauthorized_user", 402: "plan_limit_exceeded",
                404: "entity_not_found", 409: "already_exists", 422: "invalid_entity",
                429: "too_many_requests",
            ]
            let body: JSON = [
                "error": .string(word ?? words[status] ?? "server_error"),
                "error_description": "It can't be done.", "status": .string("\(status)"),
            ]
            return Reply(status: status, body: body.text)
        }
    }

    private var replies: [Reply] = []
    private var always = Reply(status: 200)
    private let clock: ManualClock
    private var tellsTime = true
    private var hook: (@Sendable () async -> Void)?

    init(clock: ManualClock) { self.clock = clock }

    /// What the next requests get, in order and without a body; whatever follows gets the usual reply.
    func reply(_ statuses: Int...) { replies += statuses.map { Reply(status: $0) } }

    /// What the next requests get, in order: the tenant's own refusals.
    func refuse(_ statuses: Int...) { replies += statuses.map { .refusal($0) } }

    func reply(with reply: Reply) { replies.append(reply) }

    func replyAlways(_ status: Int) { always = Reply(status: status) }

    /// Makes it a server whose time nobody knows.
    func hideTime() { tellsTime = false }

    /// What happens while the server works on a request.
    func whileWorking(_ hook: (@Sendable () async -> Void)?) { self.hook = hook }

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        await hook?()
        let reply = replies.isEmpty ? always : replies.removeFirst()
        var fields: HTTPFields = [.contentType: "application/json"]
        if tellsTime { fields[.date] = date }
        for (name, value) in reply.fields {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return (
            HTTPResponse(status: .init(code: reply.status), headerFields: fields),
            Data(reply.body.utf8)
        )
    }

    /// Its own time: it passes like everyone's, however the device's wall clock is set.
    private var date: String { httpDate(WorkedExample.now + clock.elapsed / .seconds(1)) }
}
