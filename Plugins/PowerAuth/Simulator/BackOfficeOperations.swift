public import PushCore
import PushTesting

extension PowerAuthSimulator {
    /// Creates an operation, and pushes it to the user's devices that are registered.
    ///
    /// - Parameters:
    ///   - user: Its user; `nil` for one that somebody has to claim.
    ///   - template: What it asks.
    ///   - activation: The only activation that may see it; any of the user's if `nil`.
    ///   - fault: What is wrong with its pushes.
    /// - Returns: The operation as it is then.
    /// - Throws: `PushError` with the code `notFound` if there is no such activation of the user.
    public func createOperation(
        for user: String?, _ template: OperationTemplate,
        on activation: ActivationRecord.ID? = nil, spoiledBy fault: BadPush? = nil
    ) throws(PushError) -> OperationRecord {
        sweep()
        if let activation, user == nil || activations[activation]?.user != user {
            throw PushError(.notFound, "The user has no such activation.")
        }
        let id = configuration.random.identifier()
        let now = configuration.now
        let operation = Operation(
            id: id, user: user, activation: activation, template: template, created: now,
            expiry: now + template.lifetime.inMilliseconds, seed: configuration.random.bytes(16),
            fault: fault)
        operations[id] = operation
        operationOrder.append(id)
        if fault == .withdrawnFirst { finish(id, as: .canceled, announcing: .canceled) }
        announce(operation)
        return OperationRecord(operations[id] ?? operation)
    }

    /// Cancels an operation that waits.
    ///
    /// - Throws: `PushError` with the code `notFound`, or `over` if it doesn't wait.
    public func cancelOperation(
        _ id: OperationRecord.ID, because reason: String? = nil
    ) throws(PushError) {
        try finishWaiting(id, as: .canceled, because: reason, announcing: .canceled)
    }

    /// Lets an operation expire before its time.
    ///
    /// - Throws: `PushError` with the code `notFound`, or `over` if it doesn't wait.
    public func expireOperation(_ id: OperationRecord.ID) throws(PushError) {
        try finishWaiting(id, as: .expired, announcing: .timeout)
    }

    /// Approves an operation by another channel, such as a text message.
    ///
    /// - Throws: `PushError` with the code `notFound`, or `over` if it doesn't wait.
    public func approveElsewhere(_ id: OperationRecord.ID) throws(PushError) {
        try finishWaiting(id, as: .approved, announcing: .success)
    }

    /// Makes an operation fail, and says why in the push.
    ///
    /// - Throws: `PushError` with the code `notFound`, or `over` if it doesn't wait.
    public func failOperation(
        _ id: OperationRecord.ID, announcing result: OperationResult = .failure
    ) throws(PushError) {
        try finishWaiting(id, as: .failed, announcing: result)
    }

    private func finishWaiting(
        _ id: String, as status: OperationStatus, because reason: String? = nil,
        announcing result: OperationResult
    ) throws(PushError) {
        guard try operation(id).status == .pending else {
            throw PushError(.over, "The operation doesn't wait.")
        }
        finish(id, as: status, because: reason, announcing: result)
    }

    /// How an operation stands.
    ///
    /// - Throws: `PushError` with the code `notFound`.
    public func operation(_ id: OperationRecord.ID) throws(PushError) -> OperationRecord {
        OperationRecord(try known(id))
    }

    /// What a screen shows now to the user who stands near it and is to approve an operation.
    ///
    /// - Throws: `PushError` with the code `notFound`.
    public func proximityLink(
        of id: OperationRecord.ID, as form: ProximityForm = .query
    ) throws(PushError) -> String {
        let operation = try known(id)
        guard let password = ProximityPassword.text(operation.seed, at: configuration.now) else {
            throw PushError(.invalidArgument, "The clock is before 1970.")
        }
        switch form {
        case .query: return "mtoken://operation?oid=\(id)&totp=\(password)"
        case .olderQuery: return "mtoken://operation?oid=\(id)&potp=\(password)"
        case .token:
            let claims: JSON.Object = ["oid": .string(id), "totp": .string(password)]
            let key = configuration.random.data(32)
            return CompactToken.text(of: claims, algorithm: "HS256") { KeySchedule.mac(key, $0) }
        }
    }

    /// The one-time password that proves nearness now.
    ///
    /// - Throws: `PushError` with the code `notFound`.
    public func proximityPassword(of id: OperationRecord.ID) throws(PushError) -> String {
        ProximityPassword.text(try known(id).seed, at: configuration.now) ?? ""
    }

    private func known(_ id: String) throws(PushError) -> Operation {
        sweep()
        guard let operation = operations[id] else {
            throw PushError(.notFound, "There is no such operation.")
        }
        return operation
    }
}
