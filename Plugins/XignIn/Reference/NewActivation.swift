import HTTPTypes
import PushCore
import PushJOSE
import PushXignIn

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An activation that is to be asked for: its keys, and what the manager needs to know.
struct NewActivation {
    private let personalization: XignInPersonalization
    private let link: ActivationLink
    private let access: XignInAccess

    init(
        _ personalization: XignInPersonalization, using access: XignInAccess
    ) throws(PushError) {
        guard
            let link = try ActivationLink(
                personalization.link, allowsPlainHTTP: access.configuration.allowsPlainHTTP)
        else { throw PushError(.invalidInvitation, "Not a link that personalizes.") }
        self.personalization = personalization
        self.link = link
        self.access = access
    }

    /// Makes the keys of this activation alone, stretches the PIN and seals what the manager needs to
    /// check it.
    func record() async throws(PushError) -> ActivationRecord {
        let random = access.environment.random
        let deviceKey = try await ES256PrivateKey.make(random)
        let biometry = try personalization.biometry.map { (secret) throws(PushError) in
            try ES256PrivateKey.biometric(secret, beside: deviceKey).publicKey
        }
        let secret = ActivationSecret(link.secret, idm: link.idm)
        var body: JSON.Object = ["device_key": try deviceKey.publicKey.named]
        body["biometric_key"] = try biometry?.named ?? .null
        var parameters: PINParameters?
        if let pin = personalization.pin {
            let made = PINParameters.make(
                iterations: access.configuration.pinIterations, random)
            let setup = try secret.sealed(
                made, verifier: await made.key(for: pin),
                for: try deviceKey.publicKey.thumbprint, nonce: random.bytes(12))
            body["pin_setup"] = .string(setup)
            parameters = made
        } else {
            body["pin_setup"] = .null
        }
        let device = access.environment.device
        let token = try personalization.deviceToken.map(PushToken.text)
        body["push_token"] = token.map(JSON.string) ?? .null
        body["platform"] = .string(PushToken.platform(of: device, hasToken: token != nil))
        body["alias"] = .string(device.name)
        let request = ActivationRequest(
            id: secret.id, macKey: secret.macKey, body: Secret(JSON.object(body).utf8))
        return try ActivationRecord(
            link, deviceKey: deviceKey, pin: parameters, biometry: try biometry?.thumbprint,
            request: request)
    }
}

/// An activation that a manager is asked for. The same keys and the same body are sent each time, so
/// that a manager that has answered before gives the same answer.
struct RequestedActivation {
    private let record: ActivationRecord
    private let request: ActivationRequest
    private let access: XignInAccess

    /// Reads what is on record.
    ///
    /// - Throws: `PushError` with the code `alreadyEnrolled` if the manager has confirmed it.
    init(_ account: Account, using access: XignInAccess) throws(PushError) {
        record = try access.record(of: account)
        guard let pending = record.request else {
            throw PushError(.alreadyEnrolled, "The activation is confirmed.")
        }
        request = pending
        self.access = access
    }

    /// Asks for the activation.
    func reply() async throws(PushError) -> XignInReply<XignInActivation> {
        let channel = OpenReferenceChannel(
            access: access, record: record, issuer: try record.deviceKey.publicKey.thumbprint)
        var call = SignedRequest(
            .post, "personalizations", body: request.body.withBytes { Data($0) })
        call.proof = request
        switch try await channel.send(call) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let answer):
            do throws(PushError) {
                return .success(try activation(answer))
            } catch {
                await endUnusable(answer)
                throw error
            }
        }
    }

    private func activation(_ answer: Claims) throws(PushError) -> XignInActivation {
        try access.check(api: try answer.text("api"))
        let activation = try answer.identifier("activation_id")
        let keys = try ManagerKeys.read(answer)
        var confirmed = record
        confirmed.activate(activation, managerKeys: keys)
        return XignInActivation(
            account: try answer.optionalText("account"), record: confirmed.sealed)
    }

    /// The manager has made an activation that this device can't use, so it is ended there, as far as
    /// that can be done now.
    private func endUnusable(_ answer: Claims) async {
        guard let activation = try? answer.identifier("activation_id") else { return }
        let channel = OpenReferenceChannel(access: access, record: record, issuer: activation)
        let request = SignedRequest(.delete, "activations/\(activation)")
        if case .success? = try? await channel.send(request) { return }
        access.environment.observer.observe(
            PushObservation(
                .noticed, "An activation that can't be used couldn't be ended at its manager.",
                provider: access.provider))
    }
}

/// A device token as managers get it: Firebase's, on Apple's systems, too, where Firebase passes
/// messages on to Apple's service by itself.
enum PushToken {
    /// The token's text.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` for another service's: it would lead
    ///   nowhere.
    static func text(_ token: DeviceToken) throws(PushError) -> String {
        guard case .fcm(let text) = token else {
            throw PushError(
                .invalidArgument, "Managers take Firebase's tokens, and this is another service's.")
        }
        return text
    }

    /// The name of the service, as managers have it: `test` for a device that no service reaches.
    static func platform(of device: Device, hasToken: Bool) -> String {
        switch device.platform {
        case .apple, .android: "fcm"
        case .other: hasToken ? "fcm" : "test"
        }
    }
}
