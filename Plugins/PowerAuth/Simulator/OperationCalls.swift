import PushCore

extension PowerAuthSimulator {
    /// The time that tells a device how far its clock is off.
    private var timestamp: JSON.Object {
        ["currentTimestamp": .string(Moment.operation(configuration.now))]
    }

    func listOperations(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let activation = try bearer(incoming)
        try incoming.requireEmpty()
        let waiting = operations(for: activation).filter { $0.status == .pending }
        return .object(.array(waiting.prefix(100).map { $0.json }), beside: timestamp)
    }

    func listHistory(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let activation = try signer(incoming, "/operation/history", SignatureType.strong)
        try incoming.requireEmpty()
        return .object(.array(operations(for: activation).prefix(100).map { $0.json }))
    }

    /// An activation's operations, the newest first.
    private func operations(for activation: Activation) -> [Operation] {
        operationOrder.reversed().compactMap { operations[$0] }.filter { $0.isFor(activation) }
    }

    /// The activation that signed, or the one refusal of the mobile token interface.
    private func signer(
        _ incoming: IncomingCall, _ uriID: String, _ types: Set<SignatureType>
    ) throws(Refusal) -> Activation {
        guard case .accepted(let header) = check(incoming, uriID, types),
            let activation = activations[header.activation]
        else { throw .mobileAuthentication }
        return activation
    }

    func showOperation(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let activation = try bearer(incoming)
        return .object(try operation(incoming, for: activation).json, beside: timestamp)
    }

    func claimOperation(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let activation = try bearer(incoming)
        let id = try identifier(incoming)
        if let operation = operations[id], operation.user == nil, operation.status == .pending {
            operations[id]?.user = activation.user
        }
        return .object(try operation(incoming, for: activation).json, beside: timestamp)
    }

    private func identifier(_ incoming: IncomingCall) throws(Refusal) -> String {
        guard let id = incoming.object?["id"]?.string else { throw .invalidRequest }
        return id
    }

    /// An operation that the activation may see; another's looks like none.
    private func operation(
        _ incoming: IncomingCall, for activation: Activation
    ) throws(Refusal) -> Operation {
        guard let operation = operations[try identifier(incoming)], operation.isFor(activation)
        else { throw .invalidOperation }
        return operation
    }

    // MARK: Answers

    func authorize(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let verdict = check(
            incoming, "/operation/authorize", SignatureType.strong.union([.possession]))
        guard case .accepted(let header) = verdict, let activation = activations[header.activation]
        else {
            countFailure(of: incoming, verdict)
            throw .mobileAuthentication
        }
        // An activation whose user is still being verified can't approve.
        let unverified = ["VERIFICATION_PENDING", "VERIFICATION_IN_PROGRESS"]
        guard activation.flags.isDisjoint(with: unverified) else { throw .mobileAuthentication }
        guard let data = incoming.object?["data"]?.string else { throw .invalidRequest }
        let operation = try operation(incoming, for: activation)
        guard operation.status == .pending else { throw .over(operation.status) }
        if let flag = operation.template.requiredFlag, !activation.flags.contains(flag) {
            throw .flagMissing
        }
        // Which code a release gives for these is UNCONFIRMED.
        guard operation.template.data.isSameText(as: data),
            operation.template.approval.allows(header.type), isNear(incoming, operation)
        else {
            countFailure(of: operation.id)
            throw .operationFailed
        }
        finish(operation.id, as: .approved, announcing: .success)
        return .done
    }

    private func isNear(_ incoming: IncomingCall, _ operation: Operation) -> Bool {
        guard operation.template.needsProximity else { return true }
        guard let check = incoming.object?["proximityCheck"]?.object,
            let password = check["otp"]?.string,
            ["QR_CODE", "DEEPLINK"].contains(check["type"]?.string ?? ""),
            let received = Moment.date(check["timestampReceived"]?.string),
            let sent = Moment.date(check["timestampSent"]?.string), received <= sent
        else { return false }
        return ProximityPassword.isRight(password, operation.seed, at: configuration.now)
    }

    /// Counts a wrong signature against the operation, too, if it is its signer's.
    private func countFailure(of incoming: IncomingCall, _ verdict: SignatureVerdict) {
        guard case .wrong(let id) = verdict, let activation = activations[id],
            let operation = incoming.object?["id"]?.string.flatMap({ operations[$0] }),
            operation.isFor(activation), operation.status == .pending
        else { return }
        countFailure(of: operation.id)
    }

    private func countFailure(of id: String) {
        guard let operation = operations[id] else { return }
        operations[id]?.failures += 1
        if operation.failures + 1 >= operation.template.maximumFailures {
            finish(id, as: .failed, announcing: .failure)
        }
    }

    func reject(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let activation = try signer(incoming, "/operation/cancel", [.possession])
        guard let reason = incoming.object?["reason"]?.string, !reason.isEmpty else {
            throw .invalidRequest
        }
        let operation = try operation(incoming, for: activation)
        guard operation.status == .pending else { throw .over(operation.status) }
        finish(operation.id, as: .rejected, because: reason, announcing: .canceled)
        return .done
    }

    // MARK: Ends

    /// Ends an operation that waits, and tells its user's devices.
    func finish(
        _ id: String, as status: OperationStatus, because reason: String? = nil,
        announcing result: OperationResult
    ) {
        guard let operation = operations[id], operation.status == .pending else { return }
        operations[id]?.status = status
        operations[id]?.reason = reason
        announce(operation, finishedAs: result)
    }

    private func announce(_ operation: Operation, finishedAs result: OperationResult) {
        send(about: operation, alert: nil) { extras in
            extras["messageType"] = "mtoken.operationFinished"
            extras["mtokenOperationResult"] = .string(result.rawValue)
        }
    }

    /// Tells an operation's user that it waits, once per device.
    func announce(_ operation: Operation) {
        guard operation.fault != .lost else { return }
        let alert = (operation.template.title, operation.template.message)
        for _ in 0..<(operation.fault == .repeated ? 2 : 1) {
            send(about: operation, alert: alert) { extras in
                extras["messageType"] = "mtoken.operationInit"
                switch operation.fault {
                case .missing(let extra): extras[extra] = nil
                case .replaced(let extra, let value): extras[extra] = value
                default: break
                }
            }
        }
    }

    private func send(
        about operation: Operation, alert: (String, String)?,
        _ complete: (inout JSON.Object) -> Void
    ) {
        for id in activationOrder {
            guard let activation = activations[id], activation.state == .active,
                operation.isFor(activation)
            else { continue }
            var extras: JSON.Object = [
                "messageType": nil, "operationId": .string(operation.id),
                "operationName": .string(operation.template.name),
            ]
            if configuration.namesActivation { extras["activationId"] = .string(id) }
            complete(&extras)
            let message = PushExtras(
                alert: alert.map { (title: $0.0, body: $0.1) }, extras: extras)
            send(message, to: id)
        }
    }
}
