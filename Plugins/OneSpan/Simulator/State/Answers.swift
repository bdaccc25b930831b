import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Fetches, answers and password changes of activated devices.
extension OneSpanSimulator {
    /// How many fetched challenges of one device are remembered.
    private static let fetchLimit = 64

    /// Answers a fetch (21, 31) by a challenge (22, 32), or by the state of a session that is over.
    func fetch(
        _ command: ReceivedCommand, _ body: Body
    ) throws(CommandRefusal) -> (CommandType, Body) {
        let device = try activatedDevice(command)
        guard !device.fetches.contains(where: { $0.flow == command.flow }) else {
            throw .outOfStep
        }
        let request = try request(named: body.text(.requestID), in: command, of: device)
        let type: CommandType =
            request.isTransaction ? .transactionChallenge : .authenticationChallenge
        var reply = Body([.requestID: Array(request.id.utf8), .sessionState: [request.state.wire]])
        guard request.state == .pending else { return (type, reply) }
        let challenge = configuration.random.array(32)
        reply[.issuedAt] = configuration.clock.now.milliseconds.bytes
        reply[.notAfter] = request.deadline.milliseconds.bytes
        reply[.sessionID] = Array(request.sessionID.utf8)
        reply[.requestedMethod] = [request.method.rawValue]
        reply[.challenge] = challenge
        reply[.displayForm] = [request.display.form]
        if request.display.form != 0 { reply[.displayData] = request.display.data }
        if device.fetches.count >= Self.fetchLimit { devices[device.id]?.fetches.removeFirst() }
        devices[device.id]?.fetches.append(
            Device.Fetch(flow: command.flow, requestID: request.id, challenge: challenge))
        return (type, reply)
    }

    /// Answers a decision (23, 33) by its result (24, 34).
    func takeAnswer(
        _ command: ReceivedCommand, _ body: Body
    ) throws(CommandRefusal) -> (CommandType, Body) {
        let device = try activatedDevice(command)
        let isApproval = body.byte(.decision) == 1
        guard body.byte(.decision) <= 1, (body[.authResponse] != nil) == isApproval,
            let method = AuthenticationMethod(rawValue: body.byte(.methodUsed))
        else { throw .notUnderstood }
        let request = try request(named: body.text(.requestID), in: command, of: device)
        guard
            device.fetches.contains(where: {
                $0.flow == command.flow && $0.requestID == request.id
                    && $0.challenge == body.bytes(.challenge)
            })
        else { throw .outOfStep }
        guard request.state == .pending else { return result(of: request, isDecidedHere: false) }
        let signed = Self.signed(command, body, isTransaction: request.isTransaction)
        guard device.signingKey.verifies(body.bytes(.deviceSignature), of: signed),
            body.bytes(.displayDigest) == request.displayDigest,
            request.allows(method, isApproval: isApproval)
        else {
            countWrongResponse(to: request.id)
            throw request.isTransaction ? .wrongTransactionResponse : .wrongResponse
        }
        if isApproval {
            let isRight =
                device.instanceKeys[method.rawValue]?
                .verifies(body.bytes(.authResponse), of: signed) ?? false
            guard isRight else {
                let left = countWrongResponse(to: request.id)
                return result(of: requests[request.id] ?? request, attemptsLeft: left)
            }
            accounts[device.user]?.wrongResponses = 0
        }
        let decision = Decision(
            isApproved: isApproval, method: method, device: device.id.hex.lowercased(),
            displayDigest: Data(body.bytes(.displayDigest)))
        finish(request.id, isApproval ? .accepted : .refused, by: decision)
        return result(of: requests[request.id] ?? request, isDecidedHere: true)
    }

    /// The reply to a password change that was taken already: its nonce tells.
    func repeatedChange(_ command: ReceivedCommand, _ body: Body) -> (CommandType, Body)? {
        guard let nonce = devices[command.principal]?.changeNonce,
            nonce == body.bytes(.clientNonce)
        else { return nil }
        return (.changePasswordProved, Body())
    }

    /// Answers a ChangePasswordProve (40) by 41, and replaces the password's instance key.
    func changePassword(
        _ command: ReceivedCommand, _ body: Body
    ) throws(CommandRefusal) -> (CommandType, Body) {
        let device = try activatedDevice(command)
        let method = AuthenticationMethod.password.rawValue
        let message =
            Array("OOC1 chpw".utf8) + [0] + device.id + body.bytes(.clientNonce)
            + command.counter.bytes + body.bytes(.newInstanceKey)
        guard
            device.instanceKeys[method]?.verifies(body.bytes(.authResponse), of: message) == true
        else {
            let left = countWrongResponse(of: device.user)
            return (.changePasswordProved, Body([.remainingAttempts: [Self.byte(left)]]))
        }
        accounts[device.user]?.wrongResponses = 0
        devices[device.id]?.instanceKeys[method] = SymmetricKey(data: body.bytes(.newInstanceKey))
        devices[device.id]?.changeNonce = body.bytes(.clientNonce)
        return (.changePasswordProved, Body())
    }

    private func activatedDevice(_ command: ReceivedCommand) throws(CommandRefusal) -> Device {
        guard let device = devices[command.principal], device.isActivated else {
            throw .outOfStep
        }
        return device
    }

    /// A request of the device's user and of the command's kind.
    private func request(
        named id: String, in command: ReceivedCommand, of device: Device
    ) throws(CommandRefusal) -> Request {
        guard let request = current(id), request.user == device.user,
            request.account == device.account,
            request.isTransaction == command.type.isTransaction
        else { throw .unknownRequest }
        return request
    }

    /// What signature and response cover.
    private static func signed(
        _ command: ReceivedCommand, _ body: Body, isTransaction: Bool
    ) -> [UInt8] {
        let requestID = body.bytes(.requestID)
        return Array("OOC1 answer".utf8) + [0] + command.principal + command.flow
            + [isTransaction ? 2 : 1] + UInt16(truncatingIfNeeded: requestID.count).bytes
            + requestID + body.bytes(.challenge) + body.bytes(.decision) + body.bytes(.methodUsed)
            + body.bytes(.displayDigest) + command.counter.bytes
    }

    private func result(
        of request: Request, isDecidedHere: Bool
    ) -> (CommandType, Body) {
        var body = Body([
            .requestID: Array(request.id.utf8), .sessionState: [request.state.wire],
            .decidedHere: [isDecidedHere ? 1 : 0],
        ])
        if isDecidedHere, request.state == .accepted {
            body[.authToken] = configuration.authToken.map { Array($0.utf8) }
        }
        return (request.isTransaction ? .transactionResult : .authenticationResult, body)
    }

    private func result(of request: Request, attemptsLeft: Int) -> (CommandType, Body) {
        var (type, body) = result(of: request, isDecidedHere: request.state == .failed)
        if request.state == .pending { body[.remainingAttempts] = [Self.byte(attemptsLeft)] }
        return (type, body)
    }

    /// Counts a wrong response, of the session and of the user; 0 attempts end the session.
    @discardableResult
    private func countWrongResponse(to id: String) -> Int {
        guard var request = requests[id] else { return 0 }
        request.wrongResponses += 1
        requests[id] = request
        let left = min(
            configuration.wrongResponsesPerSession - request.wrongResponses,
            countWrongResponse(of: request.user))
        if left <= 0 { finish(id, .failed, by: nil) }
        return max(left, 0)
    }

    /// Counts a wrong response of a user, and locks the user at the last one.
    private func countWrongResponse(of user: String) -> Int {
        guard var account = accounts[user] else { return 0 }
        account.wrongResponses += 1
        let left = max(configuration.wrongResponsesBeforeLock - account.wrongResponses, 0)
        if left == 0 { account.isLocked = true }
        accounts[user] = account
        return left
    }

    private static func byte(_ count: Int) -> UInt8 { UInt8(min(max(count, 0), 255)) }
}

extension Request {
    /// Whether this authentication suffices: a no needs none, biometry may be the password.
    fileprivate func allows(
        _ method: OneSpanSimulator.AuthenticationMethod, isApproval: Bool
    ) -> Bool {
        guard isApproval else { return method == .none }
        return method == self.method || method == .password && self.method == .biometric
    }
}
