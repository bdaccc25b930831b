import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A token of a device, for reading and for push registration.
struct IssuedToken: Sendable {
    let id: String
    let secret: Data
    let activation: String
    let type: PowerAuthSimulator.SignatureType
}

extension PowerAuthSimulator {
    /// Answers `/pa/v3/token/create`: encrypted, then signed.
    func createToken(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let header = try verified(incoming, "/pa/token/create", SignatureType.withPossession)
        guard let scope = scope(of: header),
            let opened = open(incoming.json, sharedInfo: "/pa/token/create", in: scope),
            (try? JSON(parsing: opened.plain))?.object?.isEmpty == true
        else { throw .encryption }
        let token = IssuedToken(
            id: configuration.random.identifier(), secret: configuration.random.data(16),
            activation: header.activation, type: header.type)
        tokens[token.id] = token
        let answer: JSON = [
            "tokenId": .string(token.id), "tokenSecret": .string(token.secret.base64),
        ]
        return .envelope(try seal(answer, to: opened, spoiledBy: incoming.fault))
    }

    /// Answers `/pa/v3/token/remove`, whether or not there was such a token.
    func removeToken(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let header = try verified(incoming, "/pa/token/remove", SignatureType.withPossession)
        guard let id = incoming.object?["tokenId"]?.string else { throw .authentication }
        if tokens[id]?.activation == header.activation { tokens[id] = nil }
        return .object(["tokenId": .string(id)])
    }

    /// The activation that a token speaks for, or the one refusal of the mobile token interface.
    func bearer(_ incoming: IncomingCall) throws(Refusal) -> Activation {
        guard let token = token(in: incoming.header(.powerAuthToken)),
            let activation = activations[token.activation]
        else { throw .mobileAuthentication }
        return activation
    }

    /// The token that a header proves, of an active activation.
    func token(in text: String?) -> IssuedToken? {
        guard let header = CallHeader(text),
            let version = header.version("version"), let id = header.uuid("token_id"),
            let digest = Data(base64: header["token_digest"], count: 32),
            let nonce = Data(base64: header["nonce"], count: 16),
            let timestamp = header["timestamp"], isTimely(timestamp, version),
            let token = tokens[id], let activation = activations[token.activation],
            activation.state == .active
        else { return nil }
        var message = nonce + Data("&\(timestamp)".utf8)
        if version >= .v32 { message += Data("&\(version.rawValue)".utf8) }
        let name = "\(id) \(nonce.base64)"
        guard KeySchedule.mac(token.secret, message).isEqualInConstantTime(to: digest),
            seen[name] == nil
        else { return nil }
        note(name)
        return token
    }

    private func isTimely(_ text: String, _ version: ProtocolVersion) -> Bool {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let time = Int64(text)
        else { return false }
        let future = version >= .v32 ? configuration.replayWindow : configuration.tokenFuture
        let age = configuration.now - time
        return age >= -future.inMilliseconds && age <= configuration.tokenLifetime.inMilliseconds
    }
}
