import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A POST to PlusAuth, with a bearer token.
struct PlusAuthRequest {
    /// What came back, as far as it says anything.
    enum Reply {
        /// Any 2xx. What such a reply says isn't documented, and isn't read.
        case success
        /// PlusAuth's own refusal, in the documented form.
        case refusal(status: Int, ErrorWord)
        /// A gateway's, a portal's, or PlusAuth's in no form that it documents: nobody's word.
        case stranger(status: Int)
    }

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
    func reply(over transport: any Transport) async throws(PushError) -> Reply {
        let (response, body) = try await transport.send(request, body: body)
        let status = response.status.code
        if 200..<300 ~= status { return .success }
        guard let word = ErrorWord(in: body, of: status) else { return .stranger(status: status) }
        return .refusal(status: status, word)
    }
}

extension PlusAuthRequest.Reply {
    /// Whether it says that there is no such path, whoever says so.
    var isNoPath: Bool {
        switch self {
        case .success: false
        case .refusal(let status, _), .stranger(let status): [404, 405].contains(status)
        }
    }

    /// Whether nobody said what became of the request.
    var isStrangers: Bool {
        if case .stranger = self { true } else { false }
    }
}
