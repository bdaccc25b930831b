import PushTesting

/// Replies that prove nothing: a gateway's, a portal's, or AM's own form bent.
enum Strangers {
    static let statuses = [
        302, 400, 401, 403, 404, 405, 408, 409, 410, 413, 418, 422, 429, 451, 500, 501, 502, 503,
        504,
    ]

    /// Bodies in which a status proves nothing.
    enum Form: String, Sendable, CaseIterable {
        case html, empty, otherJSON, otherMessage, otherCode, codeAsText, cut

        func reply(_ status: Int) -> ScriptedReply {
            let message =
                status == 404 ? "Cannot find Push Notification Service." : "Bad request."
            let reason = status == 404 ? "Not Found" : "Bad Request"
            let body =
                switch self {
                case .html: "<html><body><h1>\(status)</h1></body></html>"
                case .empty: ""
                case .otherJSON: #"{"error":"invalid_request","status":\#(status)}"#
                case .otherMessage:
                    #"{"code":\#(status),"reason":"\#(reason)","message":"Blocked."}"#
                case .otherCode:
                    #"{"code":\#(status + 1),"reason":"\#(reason)","message":"\#(message)"}"#
                case .codeAsText:
                    #"{"code":"\#(status)","reason":"\#(reason)","message":"\#(message)"}"#
                case .cut: #"{"code":\#(status),"reason":"\#(reason)","message":"\#(message)""#
                }
            return ScriptedReply(status: status, body: body)
        }
    }

    /// Whether the core tries again by itself what got a status.
    static func isPassing(_ status: Int) -> Bool { status == 429 || status >= 500 }
}
