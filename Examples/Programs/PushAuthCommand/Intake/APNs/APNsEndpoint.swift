import Foundation
import HTTPTypes
import PushCore

/// Apple's provider API (developer.apple.com, "Sending notification requests to APNs"): what to
/// answer to a request, without a socket.
struct APNsEndpoint: Sendable {
    let key: ProviderKey

    /// The device token of this device: 64 hexadecimal digits.
    var token: String

    let random: any RandomSource

    /// The tokens of a fleet's devices, which are taken in the place of that one.
    var fleet: FleetTokens?

    /// The largest payload, in bytes.
    static let maximumSize = 4096

    /// `provider` is the connection that the request came over.
    func reply(
        to request: HTTPRequest, _ body: Data, over provider: inout ProviderConnection,
        at now: Date
    ) -> IntakeReply {
        let id = id(of: request)
        var reply: IntakeReply
        do throws(APNsReason) {
            let push = try accept(request, body, over: &provider, at: now)
            reply = IntakeReply(status: .ok, headers: [.apnsID: id], push: push)
        } catch {
            reply = error.reply(id, at: now)
        }
        reply.isAuthorized = provider.isAccepted
        return reply
    }

    /// The request's identifier, or a new one.
    func id(of request: HTTPRequest) -> String {
        APNsHeaders.id(in: request.headerFields) ?? random.uuid()
    }

    private func accept(
        _ request: HTTPRequest, _ body: Data, over provider: inout ProviderConnection,
        at now: Date
    ) throws(APNsReason) -> QueuedPush {
        let addressed = try Self.device(of: request)
        let certified = try provider.check(request, by: key, at: now)
        let wishes = try APNsHeaders(request.headerFields, usualTopic: certified)
        if let certified, certified != wishes.topic { throw .topicDisallowed }
        guard addressed.count.isMultiple(of: 2), (64...200).contains(addressed.count),
            addressed.wholeMatch(of: /[0-9A-Fa-f]+/) != nil
        else { throw .badDeviceToken }
        guard wishes.topic == key.topic else { throw .deviceTokenNotForTopic }
        let device = fleet?.device(apns: addressed.lowercased())
        guard device != nil || (fleet == nil && addressed.lowercased() == token.lowercased()) else {
            throw .unregistered
        }
        guard !body.isEmpty else { throw .payloadEmpty }
        guard body.count <= Self.maximumSize else { throw .payloadTooLarge }
        guard let message = try? PushMessage(json: body) else { throw .badPayload }
        return QueuedPush(
            push: IncomingPush(message: message, intake: "apns", device: device),
            expiry: wishes.expiry, collapse: wishes.collapse.map { device.collapsing($0) },
            isUrgent: wishes.isUrgent)
    }

    private static func device(of request: HTTPRequest) throws(APNsReason) -> String {
        guard request.method == .post else { throw .methodNotAllowed }
        guard let path = request.plainPath, let match = path.wholeMatch(of: /\/3\/device(\/.*)?/)
        else { throw .badPath }
        let token = match.1.map { String($0.dropFirst()) } ?? ""
        guard !token.isEmpty else { throw .missingDeviceToken }
        return token
    }
}
