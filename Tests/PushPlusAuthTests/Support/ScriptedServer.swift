import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting

/// The tenant's two endpoints as far as these tests need them: they say what the test wants.
typealias ScriptedServer = StandInServer<TenantScript>

struct TenantScript: ServerScript {
    let clock: ManualClock
    fileprivate var tellsTime = true

    init(clock: ManualClock) { self.clock = clock }

    /// Its own time: it passes like everyone's, however the device's wall clock is set.
    var date: String? {
        tellsTime ? httpDate(WorkedExample.now + clock.elapsed / .seconds(1)) : nil
    }

    func reply(to kind: Never?, _ request: HTTPRequest, _ body: Data) -> ScriptedReply {
        ScriptedReply()
    }
}

extension ScriptedReply {
    /// A refusal as the documentation shows it, with a word that it lists for the status.
    static func refusal(_ status: Int, _ word: String? = nil) -> ScriptedReply {
        let words = [
            400: "invalid_request", 401: "unauthorized_user", 402: "plan_limit_exceeded",
            404: "entity_not_found", 409: "already_exists", 422: "invalid_entity",
            429: "too_many_requests",
        ]
        let body: JSON = [
            "error": .string(word ?? words[status] ?? "server_error"),
            "error_description": "It can't be done.", "status": .string("\(status)"),
        ]
        return .json(body, status: status)
    }
}

extension StandInServer<TenantScript> {
    /// What the next requests get, in order and without a body; whatever follows gets the usual reply.
    func reply(_ statuses: Int...) { for status in statuses { reply(Reply(status: status)) } }

    /// What the next requests get, in order: the tenant's own refusals.
    func refuse(_ statuses: Int...) { for status in statuses { reply(.refusal(status)) } }

    func replyAlways(_ status: Int) { replyAlways(Reply(status: status)) }

    /// Makes it a server whose time nobody knows.
    func hideTime() { script.tellsTime = false }
}
