import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The Trusted Device microservice: opens commands, does them, seals the replies.
extension OneSpanSimulator {
    /// Does what a command asks for.
    ///
    /// The order is fixed: parse; the cache; the device; open; the counter; the body; the user and
    /// the step.
    func execute(_ bytes: [UInt8]?) -> CommandReply {
        guard let bytes, let command = ReceivedCommand(bytes) else {
            return clear(.notUnderstood, answering: nil)
        }
        let now = configuration.clock.now
        if let reply = cache.reply(to: bytes, now: now) { return reply }
        do throws(CommandRefusal) {
            let reply: CommandReply? =
                switch command.type {
                case .activationHello: try hello(command)
                case .activationProof: try proof(command)
                default: try deviceCommand(command)
                }
            guard let reply else { return clear(.cannotDecrypt, answering: command) }
            let isLasting = command.type == .activationFinalize && reply.refusal == nil
            cache.forget(before: now)
            cache.keep(
                reply, for: command,
                until: isLasting ? nil : now + configuration.replyCacheDuration.seconds)
            return reply
        } catch {
            return clear(error, answering: command)
        }
    }

    /// An error that nobody authenticates: for what didn't open, or came from nobody known.
    func clear(_ refusal: CommandRefusal, answering command: ReceivedCommand?) -> CommandReply {
        let zeros = [UInt8](repeating: 0, count: 16)
        let header = CommandHeader(
            type: .errorResponse, flags: Flags.fromServer | Flags.unauthenticated,
            epoch: command?.type.epoch ?? 0, principal: command?.principal ?? zeros,
            flow: command?.flow ?? zeros, counter: 0)
        return CommandReply(
            command: Sealing.clear(
                refusal.body(answering: command, isSealed: false), under: header),
            refusal: refusal)
    }

    /// Does a command of a device that has an identifier; `nil` if it doesn't open.
    private func deviceCommand(
        _ command: ReceivedCommand
    ) throws(CommandRefusal) -> CommandReply? {
        purge()
        guard let device = devices[command.principal] else { throw .unknownDevice }
        guard let plain = opened(command, from: device) else { return nil }
        do throws(CommandRefusal) {
            guard device.removal == nil else { throw .removedDevice }
            guard devices[device.id]?.counters.accepts(command.counter) == true else {
                throw .replay(highest: device.counters.highest)
            }
            cache.advance(device.id)
            guard let body = Body(reading: plain, as: command.contents) else {
                throw .notUnderstood
            }
            let (type, reply) = try dispatch(command, body)
            return CommandReply(command: try seal(type, reply, answering: command))
        } catch {
            let body = error.body(answering: command, isSealed: true)
            return CommandReply(
                command: try seal(.errorResponse, body, answering: command), refusal: error)
        }
    }

    private func dispatch(
        _ command: ReceivedCommand, _ body: Body
    ) throws(CommandRefusal) -> (CommandType, Body) {
        switch command.type {
        case .changePasswordProve:
            if let reply = repeatedChange(command, body) { return reply }
            try checkUser(of: command)
            return try changePassword(command, body)
        case .instanceConfirm:
            try checkUser(of: command)
            return try confirmInstances(command, body)
        case .activationFinalize:
            try checkUser(of: command)
            return try finalizeActivation(command, body)
        case .notificationRegister:
            try checkUser(of: command)
            return try registerNotification(command, body)
        case .authenticationFetch, .transactionFetch:
            try checkUser(of: command)
            return try fetch(command, body)
        case .authenticationAnswer, .transactionAnswer:
            try checkUser(of: command)
            return try takeAnswer(command, body)
        default: throw .outOfStep
        }
    }

    private func opened(_ command: ReceivedCommand, from device: Device) -> [UInt8]? {
        guard let clearKey = command.clearKey else {
            return command.opened(
                by: KeySchedule.messageKey(device.fromDevice, header: command.header))
        }
        for key in serverPrivateKeys {
            guard let shared = key.shared(with: clearKey) else { continue }
            let plain = command.opened(
                by: KeySchedule.messageKey(
                    device.fromDevice, shared: shared, header: command.header))
            if let plain { return plain }
        }
        return nil
    }

    private func checkUser(of command: ReceivedCommand) throws(CommandRefusal) {
        guard let device = devices[command.principal], let account = accounts[device.user],
            account.number == device.account
        else { throw .unknownUser }
        try check(account)
    }

    func check(_ account: Account) throws(CommandRefusal) {
        guard !account.isDisabled else { throw .userDisabled }
        guard !account.isLocked else { throw .userLocked }
    }

    /// Seals a reply for the device that a command came from.
    private func seal(
        _ type: CommandType, _ body: Body, answering command: ReceivedCommand
    ) throws(CommandRefusal) -> [UInt8] {
        var body = body
        body[.inReplyTo] = command.counter.bytes
        if let fault = bodyFault { fault.spoil(&body) }
        return try seal(type, body, for: command.principal, flow: command.flow)
    }

    /// Seals a message for a device, by its next counter.
    func seal(
        _ type: CommandType, _ body: Body, for id: [UInt8], flow: [UInt8],
        by key: SymmetricKey? = nil
    ) throws(CommandRefusal) -> [UInt8] {
        guard var device = devices[id] else { throw .internalError }
        device.sent &+= 1
        devices[id] = device
        let header = CommandHeader(
            type: type, flags: Flags.fromServer, epoch: type.isHandshake ? 0 : 1, principal: id,
            flow: flow, counter: device.sent)
        let direction = device.toDevice
        return try Sealing.sealed(body, under: header) {
            key ?? KeySchedule.messageKey(direction, header: $0)
        }
    }

    /// Forgets devices that were removed long ago.
    private func purge() {
        let limit = configuration.clock.now - configuration.removedDeviceRetention.seconds
        devices = devices.filter { $0.value.removal.map { $0 >= limit } ?? true }
    }

    /// Removes a device, but keeps its keys to tell it so.
    func remove(_ id: [UInt8]) {
        guard var device = devices[id] else { return }
        device.removal = configuration.clock.now
        device.notificationIdentifier = nil
        devices[id] = device
        accounts[device.user]?.devices.removeAll { $0 == id }
    }
}

extension OneSpanSimulator.ReplyFault {
    /// Changes what a reply says before it is sealed.
    fileprivate func spoil(_ body: inout Body) {
        switch self {
        case .otherRequest where body[.requestID] != nil:
            body[.requestID] = Array("another-request".utf8)
        case .withoutDisplay where body[.displayForm] != nil:
            body[.displayForm] = [0]
            body[.displayData] = nil
        case .undecodableDisplay where body[.displayForm] != nil:
            body[.displayForm] = [1]
            body[.displayData] = [2, 0, 1, 0x41, 0, 1]
        default: break
        }
    }
}
