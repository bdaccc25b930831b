import Foundation
import HTTPTypes
import PushCore

/// Firebase Cloud Messaging's HTTP v1 API (firebase.google.com, "FCM HTTP v1 API"), with the
/// authorization server beside it: what to answer to a request, without a socket.
struct FCMEndpoint: Sendable {
    let account: ServiceAccount
    let oauth: OAuthEndpoint

    /// The device token of this device.
    var token: String

    /// The tokens of a fleet's devices, which are taken in the place of that one.
    private(set) var fleet: FleetTokens?

    /// The Firebase installation ID of this device, which a message may name instead.
    var installation: String { FCMToken.installation(of: token) }

    let random: any RandomSource

    /// - Parameters:
    ///   - account: Who may send.
    ///   - origin: Where it is reached, such as `http://127.0.0.1:8080`.
    ///   - token: The device token of this device.
    ///   - random: Where its tokens come from.
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

    /// The endpoint of each process of a fleet: all take the access tokens of all.
    init(_ setup: FleetSetup, random: any RandomSource) {
        account = setup.account
        token = ""
        fleet = setup.tokens
        self.random = random
        oauth = OAuthEndpoint(
            account: account, tokens: AccessTokens(key: setup.accessKey),
            url: Self.tokenURL(at: setup.addresses.web))
    }

    static func tokenURL(at origin: String) -> String { origin + "/token" }

    func reply(to request: HTTPRequest, _ body: Data, at now: Date) -> IntakeReply {
        var reply: IntakeReply
        if request.plainPath == "/token" {
            reply = oauth.reply(to: request, body, at: now)
            reply.isAuthorized = reply.status == .ok
            return reply
        }
        var isAuthorized = false
        do throws(FCMRefusal) {
            reply = try send(request, body, at: now, &isAuthorized)
        } catch {
            reply = error.reply
        }
        reply.isAuthorized = isAuthorized
        return reply
    }

    private func send(
        _ request: HTTPRequest, _ body: Data, at now: Date, _ isAuthorized: inout Bool
    ) throws(FCMRefusal) -> IntakeReply {
        // Google's front end says "not found" for another method, too.
        guard request.method == .post, let path = request.plainPath,
            let project = path.wholeMatch(of: /\/v1\/projects\/([^\/]+)\/messages:send/)?.1
        else { throw .notFound }
        guard let credential = request.credential("Bearer") else {
            throw .unauthenticated(
                "Request is missing required authentication credential. " + Self.expected)
        }
        guard try grant(of: credential, at: now) == .messaging else {
            throw .permissionDenied(
                "Request had insufficient authentication scopes.", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
            )
        }
        isAuthorized = true
        guard project == account.project else {
            throw .permissionDenied(
                "Permission 'cloudmessaging.messages.create' denied on resource "
                    + "'//cloudresourcemanager.googleapis.com/projects/\(project)' (or it may not exist).",
                "IAM_PERMISSION_DENIED")
        }
        return try accept(try FCMMessage(body), at: now)
    }

    private static let expected =
        "Expected OAuth 2 access token, login cookie or other valid authentication credential."

    private static let invalid =
        "Request had invalid authentication credentials. " + expected

    private func grant(
        of token: String, at now: Date
    ) throws(FCMRefusal) -> AccessTokens.Grant {
        do {
            return try oauth.tokens.grant(of: token, at: now)
        } catch {
            switch error {
            case .over: throw .unauthenticated(Self.invalid, "ACCESS_TOKEN_EXPIRED")
            case .unknown: throw .unauthenticated(Self.invalid)
            }
        }
    }

    /// - Throws: `FCMRefusal` unless a message is for this device, or for a topic.
    private func check(_ target: FCMMessage.Target) throws(FCMRefusal) {
        switch target {
        case .followers, .token(token): return
        case .installation(let other):
            guard other == installation else { throw .unregistered }
        // During the transition to installation IDs, as the reference says.
        case .token(let other) where FCMToken.isInstallation(other):
            guard other == installation else { throw .unregistered }
        case .token(let other):
            // A sender forgets a token that is unregistered, so a typing error mustn't be one.
            guard FCMToken.hasShape(other) else {
                throw .invalidArgument(
                    "message.token", "The registration token is not a valid FCM registration token")
            }
            throw FCMToken.isToken(other, of: account.project) == false
                ? .senderMismatch : .unregistered
        }
    }

    /// The device of the fleet that a message is for; `nil` for a topic.
    private func device(
        for target: FCMMessage.Target, in fleet: FleetTokens
    ) throws(FCMRefusal) -> FleetDevice.ID? {
        switch target {
        case .followers: return nil
        // It is made of a token by a hash, and leads to none.
        case .installation: throw .unregistered
        case .token(let token):
            if let device = fleet.device(fcm: token) { return device }
            try check(target)
            throw .unregistered
        }
    }

    private func accept(_ message: FCMMessage, at now: Date) throws(FCMRefusal) -> IntakeReply {
        var device: FleetDevice.ID?
        if let fleet {
            device = try self.device(for: message.target, in: fleet)
        } else {
            try check(message.target)
        }
        let id = message.isTrial ? "fake_message_id" : "0:\(random.hex(12))"
        var reply = IntakeReply(
            status: .ok,
            body: ["name": .string("projects/\(account.project)/messages/\(id)")])
        guard !message.isTrial else { return reply }
        var push = IncomingPush(message: PushMessage(fcm: message.data), intake: "fcm")
        if message.target == .followers { push.drop = .unsubscribed }
        push.device = device
        reply.push = QueuedPush(
            push: push,
            // A device that is there gets a message that is wanted now or never.
            expiry: message.lifetime > 0 ? now + message.lifetime : nil,
            collapse: message.collapse.map { device.collapsing($0) }, isUrgent: message.isUrgent)
        return reply
    }
}
