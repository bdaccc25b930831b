import PushCore
import PushOneSpan

/// A password change's work.
struct PasswordWork: Sendable {
    /// Where it is; section 9 of `docs/vendors/onespan-ooc.md`.
    enum Stage: Sendable {
        case old
        case new
        case changing
        case repeating
        case repeatingNew
    }

    let deviceID: [UInt8]
    var stage = Stage.old

    /// The old password, until the change is sealed.
    var old: Secret?

    /// The new key; `nil` in a later process, which unmasks it with the new password.
    var newKey: Secret?
}

extension OpenReferenceEngine {
    func startPasswordChange(_ deviceID: String) async throws(OrchestrationError)
        -> OrchestrationStep
    {
        let record = try await activated(deviceID).record
        guard record.change == nil else { throw Self.inProgress }
        let flow = Flow(
            id: newFlowID(), work: .password(PasswordWork(deviceID: record.deviceID)))
        flows.add(flow)
        return .authenticate(.password, flow.name)
    }

    /// Takes the old password, then the new one.
    func provideToPasswordChange(
        _ input: WorkflowInput, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        guard case .secret(let password) = input, case .password(var work) = flow.work else {
            throw Self.invalidState
        }
        let rejected = { (problem: InputProblem, flow: Flow) -> Progress in
            (.inputRejected(problem, flow.name, mayRetry: true), flow)
        }
        guard password.count > 0 else { return rejected(.weakPassword, flow) }
        switch work.stage {
        case .old, .repeating:
            work.old = password
            if work.stage == .repeating, work.newKey != nil {
                return try await sealAgain(work, try await device(work.deviceID.hexName), &flow)
            }
            work.stage = work.stage == .old ? .new : .repeatingNew
            flow.work = .password(work)
            return (.authenticate(.password, flow.name, isEnrollment: true), flow)
        case .new:
            guard let old = work.old else { throw Self.invalidState }
            guard isStrong(password) else { return rejected(.weakPassword, flow) }
            guard !password.isEqualInConstantTime(to: old) else {
                return rejected(.samePassword, flow)
            }
            return try await makeChange(work, new: password, &flow)
        case .repeatingNew:
            let device = try await device(work.deviceID.hexName)
            guard let change = try device.record.change else { throw Self.invalidState }
            guard isStrong(password) else { return rejected(.weakPassword, flow) }
            work.newKey = try await change.mask.key(password: password)
            return try await sealAgain(work, device, &flow)
        case .changing: throw Self.invalidState
        }
    }

    /// Makes a new key, and masks that: one key under two passwords would give both away.
    private func makeChange(
        _ work: PasswordWork, new: Secret, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        let newKey = environment.random.bytes(32)
        let mask = try await PasswordMask(
            newKey, password: new, salt: environment.random.bytes(PasswordMask.saltLength),
            iterations: configuration.pbkdf2Iterations)
        let change = DeviceRecord.PasswordChange(
            nonce: environment.random.bytes(32).copiedBytes, mask: mask, command: [])
        var next = work
        next.newKey = newKey
        return try await sealChange(
            next, try await device(work.deviceID.hexName), replacing: nil, with: change, &flow)
    }

    /// Seals a change once more: the same nonce and key, the next counter.
    private func sealAgain(
        _ work: PasswordWork, _ device: WorkflowAccount, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        guard let change = try device.record.change else { throw Self.invalidState }
        return try await sealChange(work, device, replacing: change.nonce, with: change, &flow)
    }

    /// Seals a change and stores its bytes before they leave.
    ///
    /// - Parameters:
    ///   - work: The change's work, with the new key, and the old password, which proves the user.
    ///   - device: The device.
    ///   - nonce: The nonce of the stored change that it takes the place of; `nil` if there may be none.
    ///   - change: The change to store.
    ///   - flow: Its flow.
    /// - Returns: The step that sends it.
    /// - Throws: `OrchestrationError` with `workflowInProgress` if another change is stored.
    private func sealChange(
        _ work: PasswordWork, _ device: WorkflowAccount, replacing nonce: [UInt8]?,
        with change: DeviceRecord.PasswordChange, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        guard let newKey = work.newKey, let old = work.old else { throw Self.invalidState }
        let (counter, record) = try await device.nextCounter()
        let key = try await record.mask.key(password: old)
        var body = BodyWriter()
        body.add(.clientNonce, change.nonce)
        body.add(
            .authResponse,
            InstanceKeys.changeProof(
                key, deviceID: work.deviceID, nonce: change.nonce, counter: counter,
                newKey: newKey))
        body.add(.newInstanceKey, newKey)
        let sealed = try sealer.seal(
            .changePasswordProve, body.body, of: record, flow: flow.id, counter: counter)
        var stored = change
        stored.command = sealed.command
        try await device.change { (record: inout DeviceRecord, _) throws(OrchestrationError) in
            guard record.change?.nonce == nonce else { throw Self.inProgress }
            record.change = stored
        }
        var next = work
        next.stage = .changing
        next.old = nil
        flow.work = .password(next)
        return send(sealed, in: &flow)
    }

    /// 41: the new key counts, or the old password was wrong.
    func takeProved(
        _ body: CommandBody, _ device: WorkflowAccount, _ flow: Flow
    ) async throws(OrchestrationError) -> Progress {
        if let attempts = body[.remainingAttempts]?.first {
            try await dropChange(device, flow)
            let problem = InputProblem.wrongResponse(attemptsLeft: Int(attempts))
            return (.inputRejected(problem, flow.name, mayRetry: false), nil)
        }
        let sent = flow.outstanding?.command
        try await device.change { (record: inout DeviceRecord, _) throws(OrchestrationError) in
            guard let change = record.change, change.command == sent else {
                throw Self.invalidState
            }
            record.mask = change.mask
            record.change = nil
        }
        let outcome = WorkflowOutcome.passwordChanged(deviceID: device.id.name)
        return (.finished(outcome, flow.name), nil)
    }

    /// The server didn't take the change: the old key counts.
    func dropChange(_ device: WorkflowAccount, _ flow: Flow) async throws(OrchestrationError) {
        let sent = flow.outstanding?.command
        try await device.change { (record: inout DeviceRecord, _) in
            if record.change?.command == sent { record.change = nil }
        }
    }

    /// The counter was behind: the old password seals the change again.
    func repeatChange(_ work: PasswordWork, _ flow: inout Flow) -> Progress {
        var next = work
        next.stage = .repeating
        flow.work = .password(next)
        flow.outstanding = nil
        return (.authenticate(.password, flow.name), flow)
    }
}
