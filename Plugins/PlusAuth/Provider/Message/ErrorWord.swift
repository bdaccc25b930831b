import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
