import Foundation
import HTTPTypes
import PushCore

/// AM's push endpoint as far as these tests need it: it says what the test wants.
actor ScriptedServer {
    /// One reply: AM's, or that of whatever stands before it.
    struct Reply: Sendable, CustomStringConvertible {
        let status: Int
        let body: String
        let type: String

        /// A reply of any form.
        init(_ status: Int, body: String, type: String = "application/json;charset=UTF-8") {
            self.status = status
            self.body = body
            self.type = type
        }

        /// AM's own form, where it is known; else an empty body.
        init(_ status: Int) {
            let body =
                switch status {
                case 200: "{}"
                case 400: #"{"code":400,"reason":"Bad Request","message":"Bad request."}"#
                case 404:
                    #"{"code":404,"reason":"Not Found","#
                        + #""message":"Cannot find Push Notification Service."}"#
                default: ""
                }
            self.init(status, body: body)
        }

        var description: String { "\(status) \(type) \(body)" }
    }

    private var replies: [Reply] = []
    private var always: Reply
    private var date: String?
    private var messageIDs: Set<String>?
    private var aside: (@Sendable () async -> Void)?

    init(always: Int = 200) { self.always = Reply(always) }

    /// What the next requests get, in order; whatever follows gets the usual reply.
    func reply(_ statuses: Int...) { replies += statuses.map { Reply($0) } }

    /// What the next request gets.
    func reply(_ reply: Reply) { replies.append(reply) }

    /// The time that replies tell, in HTTP's form.
    func tell(date: String) { self.date = date }

    func replyAlways(_ status: Int) { always = Reply(status) }

    /// From now on answers are taken for these messages alone. Others get 400, and an identifier
    /// whose type AM doesn't know gets 500.
    func take(only messageIDs: String...) { self.messageIDs = Set(messageIDs) }

    /// Something happens while the next request is on its way.
    func meanwhile(_ body: @escaping @Sendable () async -> Void) { aside = body }

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        if let aside {
            self.aside = nil
            await aside()
        }
        let reply = replies.isEmpty ? usual(for: body) : replies.removeFirst()
        var fields: HTTPFields = [.contentType: reply.type]
        fields[.date] = date
        return (
            HTTPResponse(status: .init(code: reply.status), headerFields: fields),
            Data(reply.body.utf8)
        )
    }

    private func usual(for body: Data) -> Reply {
        guard let messageIDs, let id = (try? JSON(parsing: body))?["messageId"]?.string,
            !messageIDs.contains(id)
        else { return always }
        let type = id.lastIndex(of: ":").map { id[..<$0] }
        return Reply(type == "AUTHENTICATE" || type == "REGISTER" ? 400 : 500)
    }
}
