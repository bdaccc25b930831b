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
    enum ServerReply {
        /// 200, 201 or 204, with JSON or with nothing. What such a reply says isn't documented, and isn't
        /// read.
        case success
        /// PlusAuth's own refusal, in the documented form.
        case refusal(status: Int, ErrorWord)
        /// A gateway's, a portal's, or PlusAuth's in no form that it documents: nobody's word.
        case stranger(status: Int)
    }

    private let request: HTTPRequest
    private let body: Data

    init(_ endpoint: Endpoint, bearer: Secret, body: Data, from channel: PlusAuthChannel) {
        let token = bearer.copiedText()
        request = endpoint.request(
            .post,
            headers: [
                .authorization: "Bearer \(token)", .contentType: "application/json",
                .accept: "application/json",
                .userAgent: channel.configuration.userAgent
                    ?? UserAgent.text(for: channel.environment.device),
            ])
        self.body = body
    }

    /// Sends it.
    ///
    /// - Throws: `PushError`, the transport's, and `interrupted` for any other success.
    func reply(over transport: any Transport) async throws(PushError) -> ServerReply {
        let (response, body) = try await transport.send(request, body: body)
        let status = response.status.code
        if 200..<300 ~= status {
            let isJSON = body.isEmpty || (try? JSON(parsing: body)) != nil
            guard [200, 201, 204].contains(status), response.mayHoldJSON, isJSON else {
                throw .unexplained(
                    status: status, "A reply \(status), and not in a form that can be PlusAuth's.")
            }
            return .success
        }
        guard let word = ErrorWord(in: body, of: status) else { return .stranger(status: status) }
        return .refusal(status: status, word)
    }
}

extension PlusAuthRequest {
    /// Whether a reply is PlusAuth's own wish to be left alone.
    @Sendable static func asksToWait(_ response: HTTPResponse, _ body: Data) -> Bool {
        ErrorWord(in: body, of: response.status.code) == .tooManyRequests
    }
}

extension PlusAuthRequest.ServerReply {
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

/// `error` of a refusal in the documented form: a word that the documentation lists for the reply's
/// status. Any other word, and any status without one, is a stranger's.
enum ErrorWord: String {
    case invalidRequest = "invalid_request"
    case missingToken = "missing_token"
    case invalidAuthorizationScheme = "invalid_authorization_scheme"
    case invalidAudience = "invalid_audience"
    case invalidIssuer = "invalid_issuer"
    case missingScope = "missing_scope"
    case unauthorizedUser = "unauthorized_user"
    case planLimitExceeded = "plan_limit_exceeded"
    case entityNotFound = "entity_not_found"
    case alreadyExists = "already_exists"
    case invalidEntity = "invalid_entity"
    case tooManyRequests = "too_many_requests"
    case serverError = "server_error"

    /// Reads a reply's word.
    ///
    /// - Returns: `nil` if the reply isn't in the documented form: it says nothing of PlusAuth then.
    init?(in body: Data, of status: Int) {
        guard let text = (try? JSON(parsing: body))?["error"]?.string,
            let word = ErrorWord(rawValue: text), word.statuses.contains(status)
        else { return nil }
        self = word
    }

    /// The statuses that the documentation lists the word for.
    private var statuses: ClosedRange<Int> {
        switch self {
        case .invalidRequest: 400...400
        case .missingToken, .invalidAuthorizationScheme, .invalidAudience, .invalidIssuer,
            .missingScope, .unauthorizedUser:
            401...401
        case .planLimitExceeded: 402...402
        case .entityNotFound: 404...404
        case .alreadyExists: 409...409
        case .invalidEntity: 422...422
        case .tooManyRequests: 429...429
        case .serverError: 500...599
        }
    }
}

/// The `User-Agent` of requests. PlusAuth reads the device's vendor, model and system from it, which
/// no field of a request tells, and the login page lists them.
///
/// A parser finds them only beside versions. These are the ones that browsers have frozen theirs at,
/// so they tell nothing.
enum UserAgent {
    static func text(for device: Device) -> String {
        switch device.platform {
        case .apple: "PushAuth/1.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X)"
        case .android: "PushAuth/1.0 (Linux; Android 10; \(word(device.name)))"
        case .other: "PushAuth/1.0 (X11; Linux; \(word(device.name)))"
        }
    }

    /// A device's name, as far as it can stand in a comment of the header (RFC 9110 section 5.6.5).
    private static func word(_ name: String) -> String {
        let kept = name.unicodeScalars.filter { scalar in
            0x20...0x7E ~= scalar.value && !"();\\\"".unicodeScalars.contains(scalar)
        }
        let text = String(String.UnicodeScalarView(kept.prefix(64)))
        return text.allSatisfy { $0 == " " } ? "device" : text
    }
}
