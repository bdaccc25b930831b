import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// AM's push endpoint as far as these tests need it: it says what the test wants.
typealias ScriptedServer = StandInServer<AMScript>

struct AMScript: ServerScript {
    var date: String?
    fileprivate var messageIDs: Set<String>?

    /// Takes everything, but answers for other messages than those that it takes: they get 400, and
    /// an identifier whose type AM doesn't know gets 500.
    func reply(to kind: Never?, _ request: HTTPRequest, _ body: Data) -> ScriptedReply {
        guard let messageIDs, let id = (try? JSON(parsing: body))?["messageId"]?.string,
            !messageIDs.contains(id)
        else { return .am(200) }
        let type = id.lastIndex(of: ":").map { id[..<$0] }
        return .am(type == "AUTHENTICATE" || type == "REGISTER" ? 400 : 500)
    }
}

extension ScriptedReply {
    /// AM's own form, where it is known; else an empty body.
    fileprivate static func am(_ status: Int) -> ScriptedReply {
        let body =
            switch status {
            case 200: "{}"
            case 400: #"{"code":400,"reason":"Bad Request","message":"Bad request."}"#
            case 404:
                #"{"code":404,"reason":"Not Found","#
                    + #""message":"Cannot find Push Notification Service."}"#
            default: ""
            }
        return ScriptedReply(status: status, body: body, type: "application/json;charset=UTF-8")
    }
}

extension StandInServer<AMScript> {
    /// What the next requests get in AM's form, in order; whatever follows gets the usual reply.
    func reply(_ statuses: Int...) { for status in statuses { reply(.am(status)) } }

    func replyAlways(_ status: Int) { replyAlways(.am(status)) }

    /// The time that replies tell, in HTTP's form.
    func tell(date: String) { script.date = date }

    /// From now on answers are taken for these messages alone.
    func take(only messageIDs: String...) { script.messageIDs = Set(messageIDs) }
}
