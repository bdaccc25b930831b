public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a confidential OAuth client names itself to its authorization server, to have an access token
/// of its own (RFC 6749 sections 2.3.1 and 4.4).
///
/// In an app the secret proves nothing: each copy of the app has it.
public struct ClientCredentials: Sendable {
    /// Where a request has them.
    public enum Place: Hashable, Sendable {
        /// In `Authorization`, as every server must take them.
        case header
        /// In the form, as some servers document it.
        case form
    }

    /// The client's identifier.
    public let id: String

    /// The client's secret, UTF-8.
    public let secret: Secret

    /// Creates credentials.
    public init(id: String, secret: Secret) {
        self.id = id
        self.secret = secret
    }

    /// The request for an access token. A DPoP proof for it goes into its fields.
    ///
    /// - Parameters:
    ///   - endpoint: The token endpoint.
    ///   - place: Where the credentials stand.
    /// - Returns: The request and its body, as text that nothing zeroes.
    public func tokenRequest(
        to endpoint: Endpoint, in place: Place = .header
    ) -> (request: HTTPRequest, body: Data) {
        var headers: HTTPFields = [
            .accept: "application/json", .contentType: "application/x-www-form-urlencoded",
        ]
        var fields = [(name: "grant_type", value: "client_credentials")]
        switch place {
        case .header:
            headers[.authorization] = basic
        case .form:
            fields += [("client_id", id), ("client_secret", secret.copiedText())]
        }
        return (endpoint.request(.post, headers: headers), FormText(fields).data)
    }

    /// Both are form-encoded first, so that a colon in the identifier isn't taken for the one between
    /// them.
    private var basic: String {
        let pair = "\(PercentText.encoded(id)):\(PercentText.encoded(secret.copiedText()))"
        return "Basic \(Base64.encode(Array(pair.utf8)))"
    }
}
