import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A POST to AM's push service.
struct AMRequest {
    private let request: HTTPRequest
    private let body: Data

    init(_ endpoint: Endpoint, cookie: String?, body: Data) {
        var headers: HTTPFields = [
            .contentType: "application/json", .accept: "application/json",
            .acceptAPIVersion: "resource=1.0, protocol=1.0",
        ]
        headers[.cookie] = cookie
        request = endpoint.request(.post, headers: headers)
        self.body = body
    }

    /// Sends it.
    func reply(over transport: any Transport) async throws(PushError) -> AMReply {
        let (response, body) = try await transport.send(request, body: body)
        return AMReply(status: response.status.code, body: body)
    }
}

extension HTTPField.Name {
    fileprivate static let acceptAPIVersion = HTTPField.Name("Accept-API-Version") ?? .accept
}

/// A load-balancer cookie, `name=value`.
enum Cookie {
    /// Whether it can stand in a header: printable ASCII and nothing else.
    static func isSafe(_ text: some Sequence<UInt8>) -> Bool {
        text.allSatisfy { 0x20...0x7E ~= $0 }
    }
}
