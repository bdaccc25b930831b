import HTTPTypes

/// Why the JSON interface does nothing: a code for scripts, and a sentence for people.
struct APIError: Error {
    let status: HTTPResponse.Status
    let code: String
    let text: String
    /// What a path can be asked for, where the method was wrong.
    var allowed: [HTTPRequest.Method] = []

    static let forbidden = "forbidden"

    static let noPath = APIError(
        status: .notFound, code: "no-such-path", text: "The interface has no such path.")
    static let noVendor = APIError(
        status: .notFound, code: "no-such-vendor", text: "GET /api names the vendors.")
    static let noLogin = APIError(
        status: .notFound, code: "no-such-login",
        text: "The vendor has no such login, or it is too old.")

    static func noUser(_ name: String) -> APIError {
        APIError(
            status: .notFound, code: "no-such-user",
            text: "There is no user \(name): POST to users first.")
    }

    static func wrongMethod(allowing allowed: [HTTPRequest.Method]) -> APIError {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return APIError(
            status: .methodNotAllowed, code: "wrong-method", text: "This path takes \(names).",
            allowed: allowed)
    }

    static let wrongType = APIError(
        status: .unsupportedMediaType, code: "wrong-type",
        text: "A request with a body has the Content-Type application/json.")
    static let tooLarge = APIError(
        status: .contentTooLarge, code: "too-large", text: "A body has at most 4096 bytes.")
    static let noJSON = APIError(
        status: .badRequest, code: "no-json", text: "The body isn't a JSON object.")

    /// A member or a parameter that isn't known, isn't there, or has a value that it can't have.
    static func wrongMember(_ name: String, _ text: String) -> APIError {
        APIError(status: .badRequest, code: "wrong-member", text: "\(name): \(text)")
    }

    /// What the vendor's server says no to.
    static func refused(_ text: String) -> APIError {
        APIError(status: .conflict, code: "refused", text: text)
    }
}
