import HTTPTypes
import PushCore

/// An error as Google's APIs say it: `google.rpc.Status` with its details
/// (cloud.google.com, "Errors"; firebase.google.com, "ErrorCode").
struct FCMRefusal: Error, Hashable {
    let status: HTTPResponse.Status
    let name: String
    let message: String
    var details: [JSON] = []

    /// After how many seconds to send it again, if it may be. Google's clients keep to it
    /// (firebase.google.com, "ErrorCode").
    private var pause = 10

    init(
        status: HTTPResponse.Status, name: String, message: String, details: [JSON] = []
    ) {
        self.status = status
        self.name = name
        self.message = message
        self.details = details
    }

    var reply: IntakeReply {
        var headers: HTTPFields = [:]
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if status == .tooManyRequests || status == .serviceUnavailable {
            headers[.retryAfter] = "\(pause)"
        }
        var error: JSON.Object = [
            "code": .number(.init(Int64(status.code))), "message": .string(message),
            "status": .string(name),
        ]
        if !details.isEmpty { error["details"] = .array(details) }
        return IntakeReply(status: status, headers: headers, body: ["error": .object(error)])
    }

    /// No access token, or none that is good.
    static func unauthenticated(_ message: String, _ reason: String? = nil) -> FCMRefusal {
        FCMRefusal(
            status: .unauthorized, name: "UNAUTHENTICATED", message: message,
            details: reason.map { [info($0)] } ?? [])
    }

    /// The access token is good, and not for this.
    static func permissionDenied(_ message: String, _ reason: String) -> FCMRefusal {
        FCMRefusal(
            status: .forbidden, name: "PERMISSION_DENIED", message: message,
            details: [info(reason)])
    }

    /// The request itself is wrong, at a field.
    static func invalidArgument(_ field: String, _ message: String) -> FCMRefusal {
        let violation: JSON = [
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [["field": .string(field), "description": .string(message)]],
        ]
        return FCMRefusal(
            status: .badRequest, name: "INVALID_ARGUMENT", message: message,
            details: [code("INVALID_ARGUMENT"), violation])
    }

    /// A field's value isn't of the field's type, or none of its values.
    ///
    /// `type` is named as Google's errors name it, such as `TYPE_STRING`.
    static func invalidValue(at field: String, _ type: String, _ value: JSON) -> FCMRefusal {
        invalidArgument(field, "Invalid value at '\(field)' (\(type)), \(shown(value.text))")
    }

    /// An object has a field that isn't in the reference.
    static func unknownName(_ name: String, at path: String) -> FCMRefusal {
        let place = path.isEmpty ? "" : " at '\(path)'"
        return invalidArgument(
            path,
            "Invalid JSON payload received. Unknown name \"\(shown(name))\"\(place): "
                + "Cannot find field.")
    }

    /// So much of what the sender sent that it is recognized.
    private static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: 100, limitedBy: scalars.endIndex)
        guard let end, end != scalars.endIndex else { return text }
        return text[..<end] + "…"
    }

    /// The request isn't JSON at all, which Google's front end says without FCM's own code.
    static let unreadable = FCMRefusal(
        status: .badRequest, name: "INVALID_ARGUMENT", message: "The body is no JSON object.")

    static let unregistered = FCMRefusal(
        status: .notFound, name: "NOT_FOUND", message: "Requested entity was not found.",
        details: [code("UNREGISTERED")])

    static let senderMismatch = FCMRefusal(
        status: .forbidden, name: "PERMISSION_DENIED",
        message: "SenderId mismatch", details: [code("SENDER_ID_MISMATCH")])

    static let quotaExceeded = FCMRefusal(
        status: .tooManyRequests, name: "RESOURCE_EXHAUSTED",
        message: "Resource has been exhausted (e.g. check quota).",
        details: [code("QUOTA_EXCEEDED")])

    /// - Parameter hasOthers: Whether other processes take the message: a balancer that asks every second
    ///   sends it to one of them then.
    /// - Returns: The refusal, which says when to send it again.
    static func ending(hasOthers: Bool) -> FCMRefusal {
        var refusal = unavailable
        if hasOthers { refusal.pause = 1 }
        return refusal
    }

    /// The message can't be put on record just now.
    static let notKept = unavailable

    private static let unavailable = FCMRefusal(
        status: .serviceUnavailable, name: "UNAVAILABLE",
        message: "The service is currently unavailable.", details: [code("UNAVAILABLE")])

    static let notFound = FCMRefusal(
        status: .notFound, name: "NOT_FOUND", message: "There is no such method.")

    static let tooLarge = FCMRefusal(
        status: .contentTooLarge, name: "INVALID_ARGUMENT", message: "The body is too large.")

    private static func info(_ reason: String) -> JSON {
        [
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason),
            "domain": "googleapis.com",
        ]
    }

    private static func code(_ code: String) -> JSON {
        [
            "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
            "errorCode": .string(code),
        ]
    }
}
