import Crypto
import PushCore

/// The second half of an activation, and the registration for pushes.
extension OneSpanSimulator {
    /// Answers an InstanceConfirm (05) by 06: the keys without a password are where they should be.
    func confirmInstances(
        _ command: ReceivedCommand, _ body: Body
    ) throws(CommandRefusal) -> (CommandType, Body) {
        guard let device = devices[command.principal], device.step == .provisional,
            device.activationFlow == command.flow
        else { throw .outOfStep }
        try checkRegistration(of: device)
        let biometric = AuthenticationMethod.biometric.rawValue
        guard (body[.secondResponse] != nil) == (device.instanceKeys[biometric] != nil) else {
            throw .notUnderstood
        }
        guard isConfirmed(device, .none, by: body.bytes(.authResponse)),
            body[.secondResponse].map({ isConfirmed(device, .biometric, by: $0) }) ?? true
        else { throw .notConfirmed }
        let challenge = configuration.random.array(32)
        devices[device.id]?.step = .halfConfirmed
        devices[device.id]?.activationChallenge = challenge
        return (.instanceConfirmed, Body([.challenge: challenge]))
    }

    /// Answers an ActivationFinalize (07) by 08, and uses up the activation password.
    func finalizeActivation(
        _ command: ReceivedCommand, _ body: Body
    ) throws(CommandRefusal) -> (CommandType, Body) {
        guard let device = devices[command.principal], device.step == .halfConfirmed,
            device.activationFlow == command.flow
        else { throw .outOfStep }
        let handle = try checkRegistration(of: device)
        let signed = Array("OOC1 activate".utf8) + [0] + device.id + device.activationTranscript
        guard isConfirmed(device, .password, by: body.bytes(.authResponse)),
            device.signingKey.verifies(body.bytes(.deviceSignature), of: signed)
        else { throw .notConfirmed }
        devices[device.id]?.step = .confirmed
        registrations[handle]?.isUsed = true
        registrations[handle]?.provisional = nil
        registrations[handle]?.device = device.id
        registrations[handle]?.flows = []
        return (.activationComplete, Body())
    }

    /// Answers a NotificationRegister (10) by 11.
    ///
    /// An older one than the last that was applied is acknowledged and ignored, so that a delayed
    /// command can't bring an old identifier back.
    func registerNotification(
        _ command: ReceivedCommand, _ body: Body
    ) throws(CommandRefusal) -> (CommandType, Body) {
        guard let device = devices[command.principal], device.step == .confirmed else {
            throw .outOfStep
        }
        if command.counter > device.registrationCounter {
            let identifier = body.text(.notificationIdentifier)
            for other in accounts[device.user]?.devices ?? []
            where devices[other]?.notificationIdentifier == identifier {
                devices[other]?.notificationIdentifier = nil
            }
            devices[device.id]?.notificationIdentifier = identifier
            devices[device.id]?.registrationCounter = command.counter
        }
        return (.notificationRegistered, Body())
    }

    /// The handle of the registration that a provisional device came by, if that still lasts.
    @discardableResult
    private func checkRegistration(of device: Device) throws(CommandRefusal) -> [UInt8] {
        let handle = KeySchedule.handle(domain: domain, user: device.user)
        guard let registration = registrations[handle], registration.id == device.registration,
            !registration.isUsed, registration.failures < configuration.activationAttempts
        else { throw .voidRegistration }
        guard configuration.clock.now <= registration.expiry else { throw .expiredRegistration }
        return handle
    }

    private func isConfirmed(
        _ device: Device, _ method: AuthenticationMethod, by proof: [UInt8]
    ) -> Bool {
        let message =
            Array("OOC1 confirm".utf8) + [0] + device.id + [method.rawValue]
            + device.activationChallenge
        return device.instanceKeys[method.rawValue]?.verifies(proof, of: message) ?? false
    }
}
