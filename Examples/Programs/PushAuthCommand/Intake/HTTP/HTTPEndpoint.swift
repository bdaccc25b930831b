import Foundation
import HTTPTypes
import PushCore

/// `POST /push` with a shared secret: what to answer to a request, without a socket.
struct HTTPEndpoint: Sendable {
    let secret: Secret

    /// The tokens of a fleet's devices, one of which must stand beside each push.
    var fleet: FleetTokens?

    /// What a request comes to.
    enum Step: Sendable {
        case refuse(IntakeReply)
        case take(IncomingPush)

        /// Whether the request brought the secret.
        var isAuthorized: Bool {
            if case .refuse(let reply) = self { reply.isAuthorized } else { true }
        }
    }

    func step(for request: HTTPRequest, _ body: Data) -> Step {
        guard request.plainPath == "/push" else {
            return .refuse(Self.refusal(.notFound, "the path is /push"))
        }
        guard let credential = request.credential("Bearer"),
            Secret(credential.utf8).isEqualInConstantTime(to: secret)
        else {
            // RFC 6750, section 3: nothing but the scheme where there was no credential.
            var reply = Self.refusal(.unauthorized, "the secret is missing or wrong")
            let isThere = request.headerFields[.authorization] != nil
            reply.headers[.wwwAuthenticate] = isThere ? "Bearer error=\"invalid_token\"" : "Bearer"
            return .refuse(reply)
        }
        switch push(in: request, body) {
        case .take(let push): return .take(push)
        case .refuse(var reply):
            reply.isAuthorized = true
            return .refuse(reply)
        }
    }

    /// What a request comes to that brought the secret.
    private func push(in request: HTTPRequest, _ body: Data) -> Step {
        guard request.method == .post else {
            var reply = Self.refusal(.methodNotAllowed, "the method is POST")
            reply.headers[.allow] = "POST"
            return .refuse(reply)
        }
        guard request.mediaType == "application/json" else {
            return .refuse(
                Self.refusal(.unsupportedMediaType, "the content type is application/json"))
        }
        guard let message = try? PushMessage(json: body) else {
            return .refuse(Self.refusal(.badRequest, "the body isn't one JSON object"))
        }
        var push = IncomingPush(message: Self.unwrapped(message), intake: "http")
        if let fleet {
            let token = message.content.object?["token"]?.string ?? ""
            guard let device = fleet.device(fcm: token) ?? fleet.device(apns: token.lowercased())
            else {
                return .refuse(
                    Self.refusal(
                        .unprocessableContent,
                        "a fleet takes a push as data, beside the token of one of its devices"))
            }
            push.device = device
        }
        return .take(push)
    }

    /// A gateway that knows no vendor posts a push beside the device token that it is for: an app would
    /// get what is in `data`.
    private static func unwrapped(_ message: PushMessage) -> PushMessage {
        guard let members = message.content.object, members.count == 2,
            members["token"]?.string != nil, let data = members["data"], data.object != nil,
            let inner = try? PushMessage(json: data.data)
        else { return message }
        return inner
    }

    /// What the sender hears of what was made of its push.
    static func reply(_ verdict: PushVerdict) -> IntakeReply {
        switch verdict {
        case .taken(let events):
            var body: JSON.Object = ["verdict": "taken"]
            body["events"] = events.map { .number(.init(Int64($0))) }
            return IntakeReply(status: .accepted, body: .object(body))
        case .gone: return IntakeReply(status: .gone, body: ["verdict": "gone"])
        case .foreign:
            return IntakeReply(status: .unprocessableContent, body: ["verdict": "foreign"])
        case .refused(let code):
            return IntakeReply(
                status: verdict.mayBeSentAgain ? .serviceUnavailable : .unprocessableContent,
                body: ["verdict": "refused", "why": .string("\(code)")])
        case .dropped(let drop):
            return IntakeReply(
                status: .accepted, body: ["verdict": "dropped", "why": .string(drop.rawValue)])
        }
    }

    static func refusal(_ status: HTTPResponse.Status, _ error: String) -> IntakeReply {
        IntakeReply(status: status, body: ["error": .string(error)])
    }
}
