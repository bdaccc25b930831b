import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer on its way out.
struct Reply {
    let status: Int
    let json: JSON

    init(status: Int = 200, _ json: JSON) {
        self.status = status
        self.json = json
    }

    init(_ refusal: Refusal) { self.init(status: refusal.status, refusal.json) }

    /// Success without a result.
    static let done = Reply(["status": "OK"])

    /// Success in the envelope of plain endpoints.
    static func object(_ object: JSON, beside more: JSON.Object = [:]) -> Reply {
        Reply(
            .object(
                JSON.Object(
                    [("status", .string("OK")), ("responseObject", object)]
                        + more.members.map { ($0.name, $0.value) })))
    }

    /// The bare envelope of encrypted endpoints.
    static func envelope(_ members: JSON.Object) -> Reply { Reply(.object(members)) }

    var body: Data { json.data }

    var http: (response: HTTPResponse, body: Data) {
        var response = HTTPResponse(status: .init(code: min(max(status, 100), 599)))
        response.headerFields[.contentType] = "application/json"
        return (response, body)
    }
}
