import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The first half of an activation: the device has a password and no identifier yet.
extension OneSpanSimulator {
    private static let openFlows = 8

    /// Answers an ActivationHello (01) by a challenge (02); `nil` if it doesn't open.
    func hello(_ command: ReceivedCommand) throws(CommandRefusal) -> CommandReply? {
        guard let clearKey = command.clearKey, let newest = serverPrivateKeys.last else {
            throw .internalError
        }
        guard let registration = registrations[command.principal] else {
            // Nobody can tell which of several keys the device pins: it didn't open anything.
            return try refusal(
                .unknownRegistration, ofHello: command, shared: newest.shared(with: clearKey))
        }
        for key in serverPrivateKeys {
            let start = KeySchedule.transcript(
                domain: domain, user: registration.user, serverKey: key.point)
            guard let shared = key.shared(with: clearKey),
                let plain = command.opened(
                    by: KeySchedule.handshakeKey(
                        from: shared, salt: start, label: "act C1", header: command.header))
            else { continue }
            do throws(CommandRefusal) {
                try check(plain, of: command, for: registration)
                return try challenge(
                    command, transcript: KeySchedule.transcript(start, then: command.bytes),
                    shared: shared, clearKey: clearKey)
            } catch {
                return try refusal(error, ofHello: command, shared: shared)
            }
        }
        return nil
    }

    private func check(
        _ plain: [UInt8], of command: ReceivedCommand, for registration: Registration
    ) throws(CommandRefusal) {
        guard let body = Body(reading: plain, as: command.contents),
            body.byte(.protocolVersion) == 1,
            body.bytes(.userID) == Array(registration.user.utf8),
            body.bytes(.domain) == Array(domain.utf8)
        else { throw .notUnderstood }
        try check(registration)
        guard command.counter == 1, !registration.flows.contains(where: { $0.id == command.flow })
        else { throw .outOfStep }
    }

    /// Whether a registration still activates a device of its user.
    private func check(_ registration: Registration) throws(CommandRefusal) {
        guard let account = accounts[registration.user], account.number == registration.account
        else { throw .unknownUser }
        try check(account)
        guard !registration.isUsed, registration.failures < configuration.activationAttempts else {
            throw .voidRegistration
        }
        guard configuration.clock.now <= registration.expiry else { throw .expiredRegistration }
    }

    private func challenge(
        _ command: ReceivedCommand, transcript: [UInt8], shared: [UInt8],
        clearKey: P256.KeyAgreement.PublicKey
    ) throws(CommandRefusal) -> CommandReply {
        let ephemeral = P256.KeyAgreement.PrivateKey(drawnFrom: configuration.random)
        guard let registration = registrations[command.principal],
            let second = ephemeral.shared(with: clearKey)
        else { throw .internalError }
        let body = Body([
            .protocolVersion: [1], .serverNonce: configuration.random.array(32),
            .inReplyTo: command.counter.bytes,
            .issuedAt: configuration.clock.now.milliseconds.bytes,
            .notAfter: registration.expiry.milliseconds.bytes,
        ])
        let header = CommandHeader(
            type: .activationChallenge, flags: CommandType.activationChallenge.flags, epoch: 0,
            principal: command.principal, flow: command.flow, counter: 1)
        let reply = try Sealing.sealed(body, under: header, clearKey: ephemeral.point) {
            KeySchedule.handshakeKey(
                from: shared + second, salt: transcript, label: "act S1", header: $0)
        }
        let flow = ActivationFlow(
            id: command.flow, shared: shared + second,
            transcript: KeySchedule.transcript(transcript, then: reply))
        registrations[command.principal]?.flows.append(flow)
        if registration.flows.count >= Self.openFlows {
            registrations[command.principal]?.flows.removeFirst()
        }
        return CommandReply(command: reply)
    }

    /// Answers an ActivationProof (03) by the instances (04).
    ///
    /// Whatever is wrong with the proof, the refusal is the same, so that one message can't test
    /// many passwords.
    func proof(_ command: ReceivedCommand) throws(CommandRefusal) -> CommandReply {
        guard let registration = registrations[command.principal] else {
            throw .unknownRegistration
        }
        guard let flow = registration.flows.first(where: { $0.id == command.flow }) else {
            throw .outOfStep
        }
        let transcript = KeySchedule.transcript(flow.transcript, then: command.bytes)
        do throws(CommandRefusal) {
            try check(registration)
            guard command.counter == 2 else { throw .outOfStep }
            let password = registration.password
            let master = KeySchedule.handshakeKey(
                from: flow.shared + [UInt8(password.count)] + password, salt: flow.transcript,
                label: "act master")
            let key = KeySchedule.expanded(master, label: "act C2", command.header)
            guard let plain = command.opened(by: key),
                let body = Body(reading: plain, as: command.contents),
                let instances = Self.instances(body.bytes(.instanceKeys)),
                let signingKey = Self.signingKey(body.bytes(.deviceSigningKey))
            else {
                registrations[command.principal]?.failures += 1
                throw .wrongPassword(
                    attemptsLeft: configuration.activationAttempts - registration.failures - 1)
            }
            return CommandReply(
                command: try accept(
                    command, master: master, transcript: transcript,
                    keys: (signingKey, instances)))
        } catch {
            return try refusal(error, of: command, label: "act E2", salt: transcript, flow.shared)
        }
    }

    private func accept(
        _ command: ReceivedCommand, master: SymmetricKey, transcript: [UInt8],
        keys: (signing: P256.Signing.PublicKey, instances: [UInt8: SymmetricKey])
    ) throws(CommandRefusal) -> [UInt8] {
        guard let registration = registrations[command.principal] else { throw .internalError }
        let id = configuration.random.array(16)
        let challenge = configuration.random.array(32)
        let body = Body([
            .deviceID: id, .inReplyTo: command.counter.bytes, .challenge: challenge,
        ])
        let header = CommandHeader(
            type: .activationInstances, flags: Flags.fromServer, epoch: 0,
            principal: command.principal, flow: command.flow, counter: 2)
        let reply = try Sealing.sealed(body, under: header) {
            KeySchedule.expanded(master, label: "act S2", $0)
        }
        let end = KeySchedule.transcript(transcript, then: reply)
        let directions = KeySchedule.deviceKeys(master: master, transcript: end, device: id)
        devices[id] = Device(
            id: id, user: registration.user, account: registration.account,
            registration: registration.id, activationFlow: command.flow,
            activationTranscript: end, signingKey: keys.signing,
            fromDevice: directions.fromDevice, toDevice: directions.toDevice,
            instanceKeys: keys.instances, activationChallenge: challenge)
        if let replaced = registration.provisional { remove(replaced) }
        accounts[registration.user]?.devices.append(id)
        registrations[command.principal]?.provisional = id
        registrations[command.principal]?.flows.removeAll { $0.id == command.flow }
        return reply
    }

    /// Two or three keys: of methods 0, 1 and perhaps 2, in this order.
    private static func instances(_ bytes: [UInt8]) -> [UInt8: SymmetricKey]? {
        guard let count = bytes.first, (2...3).contains(count), bytes.count == 1 + Int(count) * 33
        else { return nil }
        var keys: [UInt8: SymmetricKey] = [:]
        for method in 0..<count {
            let entry = bytes.dropFirst(1 + Int(method) * 33).prefix(33)
            guard entry.first == method else { return nil }
            keys[method] = SymmetricKey(data: Array(entry.dropFirst()))
        }
        return keys
    }

    private static func signingKey(_ point: [UInt8]) -> P256.Signing.PublicKey? {
        guard point.first == 4 else { return nil }
        return try? P256.Signing.PublicKey(x963Representation: point)
    }

    private func refusal(
        _ refusal: CommandRefusal, ofHello command: ReceivedCommand, shared: [UInt8]?
    ) throws(CommandRefusal) -> CommandReply {
        guard let shared else { throw .internalError }
        return try self.refusal(
            refusal, of: command, label: "act E1", salt: KeySchedule.hash(command.bytes), shared)
    }

    /// An error of the handshake, sealed so that only who sent exactly this command can open it.
    private func refusal(
        _ refusal: CommandRefusal, of command: ReceivedCommand, label: String, salt: [UInt8],
        _ shared: [UInt8]
    ) throws(CommandRefusal) -> CommandReply {
        let header = CommandHeader(
            type: .errorResponse, flags: Flags.fromServer, epoch: 0, principal: command.principal,
            flow: command.flow, counter: configuration.clock.now.milliseconds)
        let body = refusal.body(answering: command, isSealed: true)
        let reply = try Sealing.sealed(body, under: header) {
            KeySchedule.handshakeKey(from: shared, salt: salt, label: label, header: $0)
        }
        return CommandReply(command: reply, refusal: refusal)
    }
}
