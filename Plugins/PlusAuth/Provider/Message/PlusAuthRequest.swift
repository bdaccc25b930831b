import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A POST to PlusAuth, with a bearer token.
struct PlusAuthRequest {
    private let request: HTTPRequest
    private let body: Data

    init(_ endpoint: Endpoint, bearer: Secret, body: Data, from provider: PlusAuth) {
        let token = bearer.withBytes { String(decoding: $0, as: UTF8.self) }
        request = endpoint.request(
            .post,
            headers: [
                .authorization: "Bearer \(token)", .contentType: "application/json",
                .accept: "application/json",
                .userAgent: provider.configuration.userAgent
                    ?? UserAgent.text(for: provider.environment.device),
            ])
        self.body = body
    }

    /// Sends it.
    ///
    /// - Returns: The status, and the documented word for an error if the reply has one. What a
    ///   success says isn't documented, and isn't read.
    func reply(
        over transport: any Transport
    ) async throws(PushError) -> (status: Int, word: ErrorWord?) {
        let (response, body) = try await transport.send(request, body: body)
        let status = response.status.code
        return (status, 200..<300 ~= status ? nil : ErrorWord(in: body))
    }
}
