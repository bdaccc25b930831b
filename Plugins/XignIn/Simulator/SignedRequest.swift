import HTTPTypes
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The token that a request carries. Its claims are a stranger's until they are checked.
struct SignedRequest {
    /// Who says to ask: an activation, or the thumbprint of a key that is to become one.
    let issuer: String
    let jti: String
    let jwt: UnverifiedJWT

    /// Reads `Authorization: OXRW <JWS>`; `nil` if it isn't such a token at all.
    init?(_ request: HTTPRequest) {
        let scheme = "OXRW "
        guard let text = request.headerFields[.authorization], text.hasPrefix(scheme),
            let jwt = try? UnverifiedJWT(
                parsing: text.dropFirst(scheme.count), limits: StrictJSON.limits),
            jwt.unverifiedHeader.type == "oxrw-req+jwt", jwt.unverifiedHeader.keyID != nil,
            StrictJSON.isAllowed(.object(jwt.unverifiedClaims)),
            let issuer = jwt.unverifiedClaims["iss"]?.string, Self.isName(issuer),
            let jti = jwt.unverifiedClaims["jti"]?.string, Self.isName(jti)
        else { return nil }
        self.issuer = issuer
        self.jti = jti
        self.jwt = jwt
    }

    private static func isName(_ text: String) -> Bool {
        XignInSimulator.Identifier.isWellFormed(text)
    }
}

/// A request that its device signed, and that came in time for the first time.
struct CheckedRequest {
    let issuer: String
    let jti: String
    let claims: JSON.Object
    let time: Int64
    let version: XignInSimulator.Version
    let body: Data
}

extension XignInSimulator {
    /// A call of a device.
    @nonexhaustive
    public enum Call: Hashable, Sendable, CaseIterable {
        /// `POST /oxrw/v1/personalizations`
        case personalization
        /// `PUT /oxrw/v1/activations/{activation_id}/push-token`
        case pushToken
        /// `DELETE /oxrw/v1/activations/{activation_id}`
        case removal
        /// `GET /oxrw/v1/activations/{activation_id}/manager-keys`
        case managerKeys
        /// `POST /oxrw/v1/processes/{pid}/initialization`
        case initialization
        /// `POST /oxrw/v1/processes/{pid}/start`
        case start
        /// `POST /oxrw/v1/processes/{pid}/finish`
        case finish
        /// `POST /oxrw/v1/processes/{pid}/reject`
        case reject
    }
}

/// What a path and a method ask for.
struct Route {
    let call: XignInSimulator.Call
    /// The activation or process in the path.
    let subject: String

    init?(_ request: HTTPRequest) {
        let parts = (request.path ?? "").split(separator: "/", omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count >= 4, Array(parts[..<3]) == ["", "oxrw", "v1"] else { return nil }
        let subject = parts.count > 4 ? parts[4] : ""
        let last = parts.count > 5 ? parts[5] : ""
        let call: XignInSimulator.Call? =
            switch (request.method, parts.count, parts[3], last) {
            case (.post, 4, "personalizations", _): .personalization
            case (.put, 6, "activations", "push-token"): .pushToken
            case (.delete, 5, "activations", _): .removal
            case (.get, 6, "activations", "manager-keys"): .managerKeys
            case (.post, 6, "processes", "initialization"): .initialization
            case (.post, 6, "processes", "start"): .start
            case (.post, 6, "processes", "finish"): .finish
            case (.post, 6, "processes", "reject"): .reject
            default: nil
            }
        guard let call else { return nil }
        self.call = call
        self.subject = subject
    }
}
