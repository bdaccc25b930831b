import Crypto
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a back office asks for.
struct Order {
    let user: String
    let isTransaction: Bool
    let method: OneSpanSimulator.AuthenticationMethod
    let display: OneSpanSimulator.DisplayContent
    var title: String?
    var subject: String?
    var sessionID: String?
    var sendsPush = true
    var fault: OneSpanSimulator.BadPush?
}

/// Logins, transactions and their pushes.
extension OneSpanSimulator {
    /// Starts a login or a transaction, and pushes it to each device that pushes reach.
    ///
    /// - Returns: The request, and the first device's push command.
    func start(_ order: Order) throws(ServiceRefusal) -> (request: Request, command: [UInt8]) {
        let account = try account(of: order.user)
        let reached = account.devices.compactMap { devices[$0] }.filter {
            $0.isActivated && $0.notificationIdentifier != nil
        }
        guard !reached.isEmpty else { throw .noApplicableDevice }
        let now = configuration.clock.now
        let request = Request(
            id: configuration.random.uuid().lowercased(),
            sessionID: order.sessionID ?? nextSessionID(), user: order.user,
            account: account.number, isTransaction: order.isTransaction, method: order.method,
            display: order.display, deadline: now + configuration.sessionTimeout.seconds)
        requests[request.id] = request
        requestOrder.append(request.id)
        var first: [UInt8]?
        var refused = 0
        for device in reached {
            guard let command = try? trigger(of: request, for: device, spoiledBy: order.fault)
            else { throw .internalError }
            first = first ?? command
            guard order.sendsPush else { continue }
            let payload = PushPayload(
                configuration: configuration, order: order, command: command)
            refused += pushService.takes(payload, for: device.notificationIdentifier) ? 0 : 1
        }
        if configuration.sendsPushesSynchronously, refused == reached.count {
            requests[request.id] = nil
            requestOrder.removeLast()
            throw .noPush
        }
        return (request, first ?? [])
    }

    private func nextSessionID() -> String {
        let digits = "\(requestOrder.count + 1)"
        return "session-" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }

    private func trigger(
        of request: Request, for device: Device, spoiledBy fault: BadPush?
    ) throws(CommandRefusal) -> [UInt8] {
        let flow = configuration.random.array(16)
        let now = configuration.clock.now
        var body = Body([
            .issuedAt: now.milliseconds.bytes, .notAfter: request.deadline.milliseconds.bytes,
            .requestID: Array(request.id.utf8),
        ])
        var type: CommandType =
            request.isTransaction ? .transactionRequest : .authenticationRequest
        var addressee = device.id
        var key: SymmetricKey?
        switch fault {
        case .expired(let ago):
            let end = now - ago.seconds
            body[.notAfter] = end.milliseconds.bytes
            body[.issuedAt] = (end - configuration.sessionTimeout.seconds).milliseconds.bytes
        case .unknownRequest: body[.requestID] = Array("another-request".utf8)
        case .unknownField: body[.decidedHere] = [1]
        case .wrongType: type = .notificationRegistered
        case .wrongKey: key = SymmetricKey(data: [UInt8](repeating: 0, count: 32))
        case .addressed(let user): addressee = accounts[user]?.devices.first ?? addressee
        default: break
        }
        var command = try seal(type, body, for: addressee, flow: flow, by: key)
        if case .tampered(let bit) = fault { command.turn(bit: bit) }
        if fault == .tooLong {
            command.append(contentsOf: [UInt8](repeating: 0, count: max(769 - command.count, 0)))
        }
        return command
    }

    /// A user who may log in.
    func account(of user: String) throws(ServiceRefusal) -> Account {
        guard let account = accounts[user] else { throw .unknownUser }
        guard !account.isDisabled else { throw .userDisabled }
        guard !account.isLocked else { throw .userLocked }
        return account
    }

    /// A request as it stands now: one that nobody decided in time is over.
    func current(_ id: String) -> Request? {
        guard let request = requests[id] else { return nil }
        if request.state == .pending, configuration.clock.now > request.deadline {
            finish(id, .timeout, by: nil)
        }
        return requests[id]
    }

    /// Ends a session; only the first end counts.
    func finish(_ id: String, _ status: SessionStatus, by decision: Decision?) {
        guard requests[id]?.state == .pending else { return }
        requests[id]?.state = status
        requests[id]?.decision = decision
        for waiter in waiting.removeValue(forKey: id) ?? [] { waiter.resume() }
    }
}
