import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `error` of a reply, if it is one that PlusAuth documents. Others are no more than a stranger's
/// text.
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

    init?(in body: Data) {
        guard let word = (try? JSON(parsing: body))?["error"]?.string else { return nil }
        self.init(rawValue: word)
    }
}
