import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What came back from AM's push service, or from whatever stands before it.
struct AMReply: Sendable {
    /// A no that AM says in a body of its own. A gateway's page under the same status isn't one.
    enum Refusal: Sendable {
        /// Anything the device got wrong, and whatever is over: AM tells nothing apart.
        case badRequest
        /// The realm has no push service.
        case noPushService
    }

    let status: Int

    /// AM's word; `nil` if it's success, or nobody can tell whose word it is.
    let refusal: Refusal?

    /// Whether the body is a JSON object, as each of AM's is.
    let isObject: Bool

    /// AM's success has a body, but none that says more.
    var isSuccess: Bool { 200..<300 ~= status }

    init(status: Int, body: Data) {
        let members = try? JSON(parsing: body).object
        self.status = status
        isObject = members != nil
        refusal = members.flatMap { Self.refusal(status, $0) }
    }

    private static func refusal(_ status: Int, _ members: JSON.Object) -> Refusal? {
        guard members["code"]?.integer == Int64(status) else { return nil }
        switch (status, members["message"]?.string) {
        case (400, "Bad request.") where members["reason"] == "Bad Request": return .badRequest
        case (404, "Cannot find Push Notification Service."): return .noPushService
        default: return nil
        }
    }
}
