import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthSimulator {
    /// Answers `/pa/v3/activation/create`: two envelopes, one for the enrollment server, and in it
    /// one for the server that keeps the keys.
    func exchangeKeys(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let scope = try applicationScope(incoming)
        guard let outer = open(incoming.json, sharedInfo: "/pa/generic/application", in: scope),
            let layer = ActivationLayer(outer.plain)
        else { throw .encryption }
        let id = try who(layer, in: scope)
        guard let inner = open(layer.data, sharedInfo: "/pa/activation", in: scope),
            let members = try? JSON(parsing: inner.plain).object, isDevice(members)
        else { throw .activation }
        let device = try prepare(id, members)
        let answer: JSON = [
            "activationId": .string(id),
            "serverPublicKey": .string(serverPoint(of: id)),
            "ctrData": .string(device.firstCounter.base64),
        ]
        let sealed = try seal(answer, to: inner, spoiledBy: incoming.fault)
        var words: JSON.Object = ["activationData": .object(sealed)]
        words["customAttributes"] =
            layer.custom.map { .object(configuration.customAttributes ?? $0) }
        if configuration.tellsUserAtActivation, let user = activations[id]?.user {
            words["userInfo"] = configuration.userInfo[user].map { .object($0) }
        }
        return .envelope(try seal(.object(words), to: outer))
    }

    /// The activation that waits for a code, or a new one for whoever the enrollment server knows.
    private func who(
        _ layer: ActivationLayer, in scope: ECIESScope
    ) throws(Refusal) -> String {
        switch layer.type {
        case "CODE":
            guard let code = layer.identity["code"]?.string,
                let id = activationOrder.first(where: { isWaiting($0, for: code, in: scope) })
            else { throw .activation }
            return id
        case "DIRECT", "CUSTOM": return try activation(for: layer, in: scope)
        // Recovery codes are off by default, and no newer server has them.
        default: throw .activation
        }
    }

    func applicationScope(_ incoming: IncomingCall) throws(Refusal) -> ECIESScope {
        guard let header = CallHeader(incoming.header(.powerAuthEncryption)),
            let version = header.version("version"),
            let application = application(header["application_key"])
        else { throw .encryption }
        return ECIESScope(version: version, application: application, activation: nil)
    }

    private func isWaiting(_ id: String, for code: String, in scope: ECIESScope) -> Bool {
        guard let activation = activations[id] else { return false }
        return activation.state == .created && activation.code.isSameText(as: code)
            && activation.application.id == scope.application.id
    }

    /// Whether the inner layer has the members that it needs, and no others.
    private func isDevice(_ members: JSON.Object) -> Bool {
        let needed = ["devicePublicKey", "activationName", "platform", "deviceInfo"]
        guard needed.allSatisfy({ members[$0]?.string?.isEmpty == false }),
            members.hasOnly(Set(needed + ["activationOtp", "extras"])),
            let platform = members["platform"]?.string
        else { return false }
        return ["ios", "android", "hw", "unknown"].contains { $0.isSameText(as: platform) }
    }

    private func serverPoint(of id: String) -> String {
        activations[id]?.serverKey.publicKey.x963Representation.base64 ?? ""
    }

    /// Takes the device's key. A bad one leaves the activation as it was.
    private func prepare(
        _ id: String, _ members: JSON.Object
    ) throws(Refusal) -> EnrolledDevice {
        guard let activation = activations[id],
            let device = EnrolledDevice(
                members, server: activation.serverKey,
                firstCounter: configuration.random.data(16))
        else { throw .activation }
        var state = ActivationState.pendingCommit
        switch activation.options.password {
        case .onKeyExchange(let expected):
            try checkPassword(members["activationOtp"], expected, of: id)
            state = .active
        default:
            // What each release does with a password that isn't asked for is UNCONFIRMED.
            guard members["activationOtp"] == nil else { throw .activation }
            if activation.options.commitPhase == .onKeyExchange { state = .active }
        }
        activations[id]?.device = device
        activations[id]?.failedAttempts = 0
        activations[id]?.state = state
        return device
    }

    private func checkPassword(
        _ given: JSON?, _ expected: String, of id: String
    ) throws(Refusal) {
        guard let text = given?.string else { throw .activation }
        guard Secret(text.utf8).isEqualInConstantTime(to: Secret(expected.utf8)) else {
            countWrongPassword(of: id)
            throw .activation
        }
    }

    func countWrongPassword(of id: String) {
        let failures = (activations[id]?.failedAttempts ?? 0) + 1
        activations[id]?.failedAttempts = failures
        if failures >= configuration.maximumFailedAttempts { activations[id]?.state = .removed }
    }
}

/// What the enrollment server reads of a request to activate.
struct ActivationLayer {
    let type: String
    let identity: JSON.Object
    let custom: JSON.Object?
    let data: JSON

    /// Reads it; `nil` if a member is missing or one too many.
    init?(_ plain: Data) {
        guard let members = try? JSON(parsing: plain).object,
            members.hasOnly([
                "type", "identityAttributes", "customAttributes", "activationData",
            ]),
            let type = members["type"]?.string,
            let identity = members["identityAttributes"]?.object,
            let data = members["activationData"], data.object != nil
        else { return nil }
        let custom = members["customAttributes"]
        guard custom == nil || custom == .null || custom?.object != nil else { return nil }
        self.type = type
        self.identity = identity
        self.custom = custom?.object
        self.data = data
    }
}
