import HTTPTypes
public import PushCore
import PushJOSE
public import PushXignIn

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension OpenReferenceWireFormat {
    /// Reads a link `oxrw://personalize?d=…`.
    public func invitation(
        in text: Secret, allowsPlainHTTP: Bool
    ) throws(PushError) -> XignInInvitation? {
        try ActivationLink(text, allowsPlainHTTP: allowsPlainHTTP).map { link in
            XignInInvitation(
                idmIdentifier: link.idm, host: link.manager.host, port: link.manager.port)
        }
    }

    /// Makes the keys of this activation alone, stretches the PIN and seals what the manager needs to
    /// check it.
    public func record(
        for personalization: XignInPersonalization, using access: XignInAccess
    ) async throws(PushError) -> Secret {
        guard
            let link = try ActivationLink(
                personalization.link, allowsPlainHTTP: personalization.allowsPlainHTTP)
        else { throw PushError(.invalidInvitation, "Not a link that personalizes.") }
        let deviceKey = try await ES256PrivateKey.make(access.environment.random)
        let biometry = try await biometry(for: personalization, of: link.idm, using: access)
        do throws(PushError) {
            return try await record(for: personalization, link, deviceKey, biometry, using: access)
        } catch {
            if let biometry { await Self.deleteKey(biometry.handle, using: access) }
            throw error
        }
    }

    private typealias BiometricKey = (handle: Secret, key: ES256PublicKey)

    private func record(
        for personalization: XignInPersonalization, _ link: ActivationLink,
        _ deviceKey: ES256PrivateKey, _ biometry: BiometricKey?, using access: XignInAccess
    ) async throws(PushError) -> Secret {
        let random = access.environment.random
        let secret = ActivationSecret(link.secret, idm: link.idm)
        var body: JSON.Object = ["device_key": try deviceKey.publicKey.named]
        body["biometric_key"] = try biometry?.key.named ?? .null
        var parameters: PINParameters?
        if let pin = personalization.pin {
            let made = PINParameters.make(iterations: personalization.pinIterations, random)
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
        let kept = try biometry.map { (made) throws(PushError) in
            (made.handle, try made.key.thumbprint)
        }
        return try ActivationRecord(
            link, deviceKey: deviceKey, pin: parameters, biometry: kept, request: request
        ).sealed
    }

    private func biometry(
        for personalization: XignInPersonalization, of idm: String, using access: XignInAccess
    ) async throws(PushError) -> BiometricKey? {
        guard personalization.withBiometry, let keys = access.biometricKeys else { return nil }
        let (handle, point) = try await keys.makeKey(for: access.enrollment(at: idm))
        do throws(PushError) {
            return (handle, try ES256PublicKey(point: point))
        } catch {
            await Self.deleteKey(handle, using: access)
            throw error
        }
    }

    /// Asks for the activation. The same keys and the same body are sent each time, so that a manager
    /// that has answered before gives the same answer.
    public func activate(
        _ enrollment: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInActivation> {
        guard let secret = try await access.secret(of: enrollment) else {
            throw PushError(.unknownEnrollment, "There is no such activation.")
        }
        let record = try ActivationRecord(secret)
        guard let pending = record.request else {
            throw PushError(.alreadyEnrolled, "The activation is confirmed.")
        }
        let channel = OpenReferenceChannel(
            access: access, record: record, issuer: try record.deviceKey.publicKey.thumbprint)
        var request = SignedRequest(
            .post, "personalizations", body: pending.body.withBytes { Data($0) })
        request.proof = pending
        switch try await channel.send(request) {
        case .refused(let refusal): return .refused(refusal)
        case .done(let answer):
            do throws(PushError) {
                return .done(try Self.activation(answer, record, access))
            } catch {
                await Self.endUnusable(answer, record, access)
                throw error
            }
        }
    }

    private static func activation(
        _ answer: Claims, _ record: ActivationRecord, _ access: XignInAccess
    ) throws(PushError) -> XignInActivation {
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
    private static func endUnusable(
        _ answer: Claims, _ record: ActivationRecord, _ access: XignInAccess
    ) async {
        guard let activation = try? answer.identifier("activation_id") else { return }
        let channel = OpenReferenceChannel(access: access, record: record, issuer: activation)
        let request = SignedRequest(.delete, "activations/\(activation)")
        if case .done? = try? await channel.send(request) { return }
        access.environment.observer.observe(
            Observation(
                .noticed, "An activation that can't be used couldn't be ended at its manager.",
                provider: access.provider))
    }

    /// Sets, replaces or removes the token.
    public func setDeviceToken(
        _ deviceToken: DeviceToken?, of enrollment: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        let channel = try await OpenReferenceChannel(of: enrollment, using: access)
        let token = try deviceToken.map(PushToken.text)
        let body: JSON = [
            "token": token.map(JSON.string) ?? .null,
            "platform": .string(
                PushToken.platform(of: access.environment.device, hasToken: token != nil)),
        ]
        let reply = try await channel.send(
            SignedRequest(.put, "activations/\(channel.issuer)/push-token", body))
        return try reply.map { (answer) throws(PushError) in try answer.bool("token_set") }
    }

    /// Ends the activation; the token goes with it.
    public func endActivation(
        _ enrollment: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        let channel = try await OpenReferenceChannel(of: enrollment, using: access)
        let reply = try await channel.send(
            SignedRequest(.delete, "activations/\(channel.issuer)"))
        return try reply.map { (answer) throws(PushError) in try answer.bool("removed") }
    }
}

extension OpenReferenceWireFormat {
    /// Deletes the key that only biometry unlocks.
    public func discard(_ record: Secret, using access: XignInAccess) async {
        guard let biometry = try? ActivationRecord(record).biometry else { return }
        await Self.deleteKey(biometry.handle, using: access)
    }

    private static func deleteKey(_ handle: Secret, using access: XignInAccess) async {
        guard let keys = access.biometricKeys else { return }
        do throws(PushError) {
            try await keys.deleteKey(handle)
        } catch {
            access.environment.observer.observe(
                Observation(
                    .noticed, "A key that biometry unlocks couldn't be deleted.",
                    provider: access.provider))
        }
    }
}

extension XignInAccess {
    /// Refuses a version that this app doesn't speak, whoever chose it.
    func check(api text: String) throws(PushError) {
        guard let api = SmartDeviceAPI(text), supportedAPI.contains(api) else {
            throw PushError(
                .unsupported, "The manager chose a version that this app doesn't speak.")
        }
    }
}
