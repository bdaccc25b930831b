import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XignInSimulator {
    /// How far a request's time may be from the manager's, in seconds.
    private static let allowedSkew: Int64 = 60

    /// Answers a device: unsigned only to what carries no token that an answer could name.
    func answerDevice(_ request: HTTPRequest, _ body: Data) -> ServerReply {
        let refusal = Refusal.malformed("the request has no known path or no token")
        guard let route = Route(request), let token = SignedRequest(request) else {
            return ServerReply(status: refusal.status, json: refusal.data)
        }
        let fault = takeFault(at: route.call)
        do throws(Refusal) {
            if case .refusal(let status, let error) = fault {
                throw Refusal(status: status, error: error, message: "chosen by a test")
            }
            let data = try perform(route, token, request, body)
            return signed(data, status: 200, to: token, spoiledBy: fault)
        } catch {
            guard !error.isUnsigned else {
                return ServerReply(status: error.status, json: error.data)
            }
            return signed(error.data, status: error.status, to: token, spoiledBy: fault)
        }
    }

    private func perform(
        _ route: Route, _ token: SignedRequest, _ request: HTTPRequest, _ body: Data
    ) throws(Refusal) -> JSON {
        if route.call == .personalization { return try personalize(token, request, body) }
        guard let activation = activations[token.issuer] else { throw .activationUnknown }
        let checked = try check(token, by: activation.key, for: request, body)
        activations[activation.id]?.hasSpoken = true
        switch route.call {
        case .pushToken, .removal, .managerKeys:
            guard route.subject == activation.id else { throw .activationUnknown }
            return try performOnActivation(route.call, checked)
        default:
            return try performOnProcess(route.subject, route.call, checked)
        }
    }

    /// Checks a request's token: whose it is and for what, then when, then whether it's new, then
    /// the version.
    func check(
        _ token: SignedRequest, by key: DeviceKey, for request: HTTPRequest, _ body: Data
    ) throws(Refusal) -> CheckedRequest {
        guard let claims = key.claims(of: token.jwt, type: "oxrw-req+jwt") else {
            throw .invalidDeviceSignature("the signature isn't the device's")
        }
        guard claims["aud"]?.string == configuration.identifier,
            claims["htu"]?.string == request.path, claims["htm"]?.string == request.method.rawValue,
            claims["bh"]?.string == Data.hashText(of: body)
        else { throw .invalidDeviceSignature("the signature is for another request") }
        let members = StrictMembers(claims)
        let time = try members.integer("iat")
        let now = configuration.now
        guard abs(time - now) <= Self.allowedSkew else { throw .clockSkew }
        try seen.note(token, at: now)
        let expiry = try members.integer("exp")
        guard time < expiry, expiry <= time + Self.allowedSkew else {
            throw .malformed("exp isn't within 60 seconds after iat")
        }
        return CheckedRequest(
            issuer: token.issuer, jti: token.jti, claims: claims, time: time,
            version: try version(in: claims), body: body)
    }

    /// The highest version in common.
    private func version(in claims: JSON.Object) throws(Refusal) -> Version {
        guard let lowest = claims["api"]?["min"]?.string.flatMap({ Version($0) }),
            let highest = claims["api"]?["max"]?.string.flatMap({ Version($0) }), lowest <= highest
        else { throw .malformed("api isn't a range of versions") }
        let common = configuration.versions.filter { lowest <= $0 && $0 <= highest }
        guard let version = common.max() else { throw .unsupported(configuration.lowestVersion) }
        return version
    }

    private func signed(
        _ data: JSON, status: Int, to token: SignedRequest, spoiledBy fault: BadAnswer?
    ) -> ServerReply {
        var answer = SignedAnswer(
            data: data, status: status, issuer: configuration.identifier, audience: token.issuer,
            request: token.jti, time: configuration.now)
        return answer.reply(
            signedBy: keys[0], orBy: { ManagerKey(from: configuration.random) }, spoiledBy: fault)
    }
}

/// The requests that were seen lately, so that none is taken twice.
struct SeenRequests {
    /// How long a request's number is remembered, in seconds.
    private static let window: Int64 = 180

    /// When each was seen, by issuer and `jti`.
    private var times: [String: Int64] = [:]

    /// Notes a request, unless it was seen before.
    mutating func note(_ token: SignedRequest, at now: Int64) throws(Refusal) {
        // A slash is in no identifier.
        let name = "\(token.issuer)/\(token.jti)"
        if let before = times[name], abs(now - before) <= Self.window { throw .replayed }
        if times.count >= 1000, times.values.contains(where: { abs(now - $0) > Self.window }) {
            times = times.filter { abs(now - $0.value) <= Self.window }
        }
        times[name] = now
    }
}
