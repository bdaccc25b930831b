import Foundation
import HTTPTypes
import PushCore

/// Firebase Cloud Messaging's HTTP v1 API (firebase.google.com, "FCM HTTP v1 API"), with the
/// authorization server beside it: what to answer to a request, without a socket.
struct FCMEndpoint: Sendable {
    let account: ServiceAccount
    let oauth: OAuthEndpoint

    /// The device token of this device.
    let token: String

    let random: any RandomSource

    /// - Parameters:
    ///   - origin: Where it is reached, such as `http://127.0.0.1:8080`.
    ///   - token: The device token of this device.
    init(
        _ account: ServiceAccount, at origin: String, token: String, random: any RandomSource
    ) {
        self.account = account
        self.token = token
        self.random = random
        oauth = OAuthEndpoint(
            account: account, tokens: AccessTokens(key: random.bytes(32)),
            url: Self.tokenURL(at: origin))
    }

    static func tokenURL(at origin: String) -> String { origin + "/token" }

    func reply(to request: HTTPRequest, _ body: Data, at now: Date) -> IntakeReply {
        if request.plainPath == "/token" { return oauth.reply(to: request, body, at: now) }
        do throws(FCMRefusal) {
            return try send(request, body, at: now)
        } catch {
            return error.reply
        }
    }

    private func send(
        _ request: HTTPRequest, _ body: Data, at now: Date
    ) throws(FCMRefusal) -> IntakeReply {
        // Google's front end says "not found" for another method, too.
        guard request.method == .post, let path = request.plainPath,
            let project = path.wholeMatch(of: /\/v1\/projects\/([^\/]+)\/messages:send/)?.1
        else { throw .notFound }
        guard let credential = request.credential("Bearer") else {
            throw .unauthenticated("The request has no access token.")
        }
        guard let grant = oauth.tokens.grant(of: credential, at: now) else {
            throw .unauthenticated("The access token isn't known, or over.")
        }
        guard grant == .messaging else {
            throw .permissionDenied(
                "The access token's scope isn't enough.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")
        }
        guard project == account.project else {
            throw .permissionDenied(
                "The account may not send for this project.", "IAM_PERMISSION_DENIED")
        }
        return try accept(try FCMMessage(body), at: now)
    }

    private func accept(_ message: FCMMessage, at now: Date) throws(FCMRefusal) -> IntakeReply {
        if case .token(let other) = message.target, other != token {
            // A sender forgets a token that is unregistered, so a typing error mustn't be one.
            guard FCMToken.hasShape(other) else {
                throw .invalidArgument("message.token", "It is no registration token.")
            }
            throw FCMToken.isToken(other, of: account.project) == false
                ? .senderMismatch : .unregistered
        }
        let id = message.isTrial ? "fake_message_id" : "0:\(random.hex(12))"
        var reply = IntakeReply(
            status: .ok,
            body: ["name": .string("projects/\(account.project)/messages/\(id)")])
        guard !message.isTrial else { return reply }
        var push = IncomingPush(message: PushMessage(fcm: message.data), intake: "fcm")
        if message.target == .followers { push.drop = .unsubscribed }
        reply.push = QueuedPush(
            push: push,
            // A device that is there gets a message that is wanted now or never.
            expiry: message.lifetime > 0 ? now + message.lifetime : nil,
            collapse: message.collapse, isUrgent: message.isUrgent)
        return reply
    }
}
