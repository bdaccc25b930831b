import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer on its way out.
struct Reply {
    let status: HTTPResponse.Status
    let body: Data
    private let contentType: String

    /// An answer that anyone could have made.
    init(status: Int, json: JSON) {
        self.status = Self.status(status)
        body = json.data
        contentType = "application/json"
    }

    /// A signed answer.
    init(status: Int, token: String) {
        self.status = Self.status(status)
        body = Data(token.utf8)
        contentType = "application/jose"
    }

    private static func status(_ code: Int) -> HTTPResponse.Status {
        HTTPResponse.Status(code: min(max(code, 100), 599))
    }

    var http: (response: HTTPResponse, body: Data) {
        var response = HTTPResponse(status: status)
        response.headerFields[.contentType] = contentType
        return (response, body)
    }
}
