package import HTTPTypes
package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a vendor's server says where a test doesn't say otherwise.
package protocol ServerScript: Sendable {
    /// The requests that tests tell apart.
    associatedtype Kind: Hashable & Sendable

    /// The time that replies tell, in HTTP's form; `nil` for none.
    var date: String? { get }

    /// Which kind a request is of; `nil` if it is of none.
    static func kind(of request: HTTPRequest, _ body: Data) -> Kind?

    /// The reply to a request of a kind.
    mutating func reply(to kind: Kind?, _ request: HTTPRequest, _ body: Data) -> ScriptedReply
}

extension ServerScript where Kind == Never {
    package static func kind(of request: HTTPRequest, _ body: Data) -> Never? { nil }
}

/// A vendor's server as far as a test needs it: it says what the test wants.
package actor StandInServer<Script: ServerScript> {
    package typealias Kind = Script.Kind
    package typealias Reply = ScriptedReply

    /// What it says by itself.
    package var script: Script

    private var queued: [Kind?: [Reply]] = [:]
    private var always: [Kind?: Reply] = [:]
    private var hook: (@Sendable () async -> Void)?

    package init(_ script: Script) { self.script = script }

    /// What the next requests of a kind get, in order; whatever follows gets the usual reply.
    package func reply(to kind: Kind? = nil, _ replies: Reply...) {
        queued[kind, default: []] += replies
    }

    /// What all requests of a kind get; `nil` for the usual reply.
    package func replyAlways(to kind: Kind? = nil, _ reply: Reply?) { always[kind] = reply }

    /// What happens while the server works on the next request, once it knows its reply.
    package func whileWorking(_ hook: @escaping @Sendable () async -> Void) { self.hook = hook }

    package func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        let reply = reply(to: request, body)
        var response = HTTPResponse(
            status: .init(code: reply.status), headerFields: [.contentType: reply.type])
        response.headerFields[.date] = script.date
        for (name, value) in reply.fields {
            if let name = HTTPField.Name(name) { response.headerFields[name] = value }
        }
        let hook = hook
        self.hook = nil
        await hook?()
        return (response, Data(reply.body.utf8))
    }

    private func reply(to request: HTTPRequest, _ body: Data) -> Reply {
        let kind = Script.kind(of: request, body)
        if let next = queued[kind]?.first {
            queued[kind]?.removeFirst()
            return next
        }
        return always[kind] ?? script.reply(to: kind, request, body)
    }
}

/// A reply as a test wants it: the server's, or that of whatever stands before it.
package struct ScriptedReply: Sendable, CustomStringConvertible {
    package var status: Int
    package var body: String
    package var type: String

    /// Other header fields, which replace those of the same name.
    package var fields: [String: String]

    package init(
        status: Int = 200, body: String = "", type: String = "application/json",
        fields: [String: String] = [:]
    ) {
        (self.status, self.body, self.type, self.fields) = (status, body, type, fields)
    }

    package var description: String { "\(status) \(type) \(body)" }

    package static func json(_ json: JSON, status: Int = 200) -> ScriptedReply {
        ScriptedReply(status: status, body: json.text)
    }

    /// What a gateway or a portal says.
    package static func page(_ status: Int) -> ScriptedReply {
        ScriptedReply(
            status: status, body: "<html><body>Try later</body></html>", type: "text/html")
    }
}
