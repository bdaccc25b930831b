import Foundation
import HTTPTypes
import PushCore

/// The token endpoint of Google's authorization server: a signed assertion for an access token
/// (RFC 7523; developers.google.com, "Using OAuth 2.0 for Server to Server Applications").
struct OAuthEndpoint: Sendable {
    let account: ServiceAccount
    let tokens: AccessTokens

    /// The key file's `token_uri`, which an assertion's `aud` may be.
    let url: String

    /// What Google documents as the `aud`, whatever the key file says; its own libraries send it.
    private static let documentedURL = "https://oauth2.googleapis.com/token"

    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    /// Either is enough to send messages.
    private static let messagingScopes: Set<String> = ["cloud-platform", "firebase.messaging"]

    /// How far the clocks may differ, in seconds.
    private static let skew: Double = 300

    func reply(to request: HTTPRequest, _ body: Data, at now: Date) -> IntakeReply {
        guard request.method == .post else {
            return Self.refusal("invalid_request", "The method is POST.", .methodNotAllowed)
        }
        guard request.mediaType == "application/x-www-form-urlencoded",
            let form = Self.form(body)
        else {
            return Self.refusal("invalid_request", "The body isn't a form, or repeats a field.")
        }
        guard let type = form["grant_type"] else {
            return Self.refusal("invalid_request", "The field grant_type is missing.")
        }
        guard type == Self.grantType else {
            return Self.refusal("unsupported_grant_type", "The grant type is \(Self.grantType).")
        }
        guard let assertion = form["assertion"] else {
            return Self.refusal("invalid_request", "The field assertion is missing.")
        }
        guard let token = CompactToken(assertion) else {
            return Self.refusal("invalid_grant", "The assertion is no JWT, or has a crit.")
        }
        return reply(to: token, at: now)
    }

    private func reply(to token: CompactToken, at now: Date) -> IntakeReply {
        // The account first, as its key is the one to verify with.
        guard token.claims["iss"]?.string == account.email else {
            return Self.refusal("invalid_grant", "No account has the assertion's iss.")
        }
        guard token.header["alg"]?.string == "RS256",
            token.header["kid"].map({ $0.string == account.keyID }) ?? true,
            account.signed(token)
        else {
            return Self.refusal("invalid_grant", "The signature isn't the account's.")
        }
        guard [url, Self.documentedURL].contains(token.claims["aud"]?.string) else {
            return Self.refusal("invalid_grant", "The assertion's aud is another server.")
        }
        guard isTimely(token, at: now) else {
            return Self.refusal(
                "invalid_grant", "The assertion's iat and exp must be now and within an hour.")
        }
        let scopes = (token.claims["scope"]?.string ?? "").parts(at: " ").filter { !$0.isEmpty }
        guard !scopes.isEmpty else {
            return Self.refusal("invalid_scope", "The assertion names no scope.")
        }
        let names = scopes.compactMap { GoogleScope.name(of: $0) }
        guard names.count == scopes.count else {
            return Self.refusal("invalid_scope", "A scope of the assertion isn't known.")
        }
        let grant: AccessTokens.Grant =
            Self.messagingScopes.isDisjoint(with: names) ? .somethingElse : .messaging
        return IntakeReply(
            status: .ok, headers: [.cacheControl: "no-store"],
            body: [
                "access_token": .string(tokens.make(grant, at: now)), "token_type": "Bearer",
                "expires_in": .number(.init(AccessTokens.lifetime - 1)),
            ])
    }

    private func isTimely(_ token: CompactToken, at now: Date) -> Bool {
        let now = now.timeIntervalSince1970
        guard let begin = token.moment("iat"), let end = token.moment("exp") else { return false }
        return begin <= now + Self.skew && end > now - Self.skew && end > begin
            && end - begin <= Double(AccessTokens.lifetime)
    }

    /// The fields of a form; `nil` if one is there twice or can't be read (RFC 6749, section 3.2).
    private static func form(_ body: Data) -> [String: String]? {
        let plus = UInt8(ascii: "+")
        // The names and values of these forms are ASCII, whose escapes may be anything.
        guard body.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = String(decoding: body.map { $0 == plus ? 0x20 : $0 }, as: UTF8.self)
        var fields: [String: String] = [:]
        for field in text.parts(at: "&") where !field.isEmpty {
            let (encoded, rest) = field.cut(at: "=")
            guard let name = encoded.removingPercentEncoding, name.utf8.allSatisfy({ $0 < 0x80 }),
                let value = rest?.removingPercentEncoding,
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return fields
    }

    private static func refusal(
        _ error: String, _ description: String, _ status: HTTPResponse.Status = .badRequest
    ) -> IntakeReply {
        IntakeReply(
            status: status, headers: [.cacheControl: "no-store"],
            body: ["error": .string(error), "error_description": .string(description)])
    }
}
