import Crypto
import PushCore
import PushOneSpan

/// What a remote answer says, and what of it is proved.
struct RemoteAnswer: Sendable {
    let work: RemoteWork
    let question: RemoteWork.Question

    /// Rejecting has ``AuthenticationMethod/none``.
    let method: AuthenticationMethod
    let flow: [UInt8]
    let counter: UInt64

    private var decision: UInt8 { work.isApproved == true ? 1 : 0 }

    /// What the response and the signature cover.
    var signedBytes: [UInt8] {
        Array("OOC1 answer".utf8) + [0] + work.deviceID + flow + [work.isTransaction ? 2 : 1]
            + UInt16(truncatingIfNeeded: work.requestID.utf8.count).bigEndianBytes
            + work.requestID.utf8 + question.challenge + [decision, method.code] + question.digest
            + counter.bigEndianBytes
    }

    /// The body of 23 or 33.
    ///
    /// - Parameters:
    ///   - instanceKey: The method's key; `nil` when rejecting.
    ///   - signingKey: The device's key.
    /// - Returns: The body, which holds a proof of the password.
    /// - Throws: `OrchestrationError` if the key doesn't sign.
    func body(
        instanceKey: Secret?, signingKey: P256.Signing.PrivateKey
    ) throws(OrchestrationError) -> Secret {
        let signed = signedBytes
        var body = BodyWriter()
        body.add(.requestID, work.requestID.utf8)
        body.add(.challenge, question.challenge)
        body.add(.decision, [decision])
        body.add(.methodUsed, [method.code])
        body.add(.displayDigest, question.digest)
        if let instanceKey { body.add(.authResponse, instanceKey.code(for: signed)) }
        body.add(.deviceSignature, try signingKey.signed(signed))
        return body.body
    }
}

extension OpenReferenceEngine {
    /// Takes the user's decision, and their proof of themselves.
    func provideToRemote(
        _ input: WorkflowInput, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        guard case .remote(var work) = flow.work, let question = work.question else {
            throw Self.invalidState
        }
        guard work.stage == .deciding || work.stage == .authenticating else {
            throw Self.invalidState
        }
        if let deadline = flow.deadline, environment.clock.elapsed > deadline {
            return (.outdated(.expired, flow.name), nil)
        }
        switch (work.stage, input) {
        case (.deciding, .decision(let approved)) where question.isApprovable || !approved:
            work.isApproved = approved
            return try await decided(work, try await device(work.deviceID.hexName), &flow)
        case (.authenticating, .secret(let password)):
            guard password.count > 0 else {
                return (
                    .inputRejected(.weakPassword, flow.name, mayRetry: true), flow
                )
            }
            return try await answer(
                work, .password, password, try await device(work.deviceID.hexName), &flow)
        case (.authenticating, .biometricSucceeded) where question.method == .biometric:
            return try await answer(
                work, .biometric, nil, try await device(work.deviceID.hexName), &flow)
        case (.authenticating, .biometricUnavailable) where question.method == .biometric:
            return (.authenticate(.password, flow.name), flow)
        default: throw Self.invalidState
        }
    }

    /// Answers, or asks for the user first. Rejecting needs no proof of the user.
    func decided(
        _ work: RemoteWork, _ device: WorkflowAccount, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        guard let question = work.question else { throw Self.invalidState }
        guard work.isApproved == true, question.method != .none else {
            return try await answer(work, .none, nil, device, &flow)
        }
        let hasBiometry = try device.record.biometricKey != nil
        var next = work
        next.stage = .authenticating
        flow.work = .remote(next)
        flow.outstanding = nil
        let method = question.method == .biometric && hasBiometry ? question.method : .password
        return (.authenticate(method, flow.name), flow)
    }

    private func answer(
        _ work: RemoteWork, _ method: AuthenticationMethod, _ password: Secret?,
        _ device: WorkflowAccount, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        guard let question = work.question, let isApproved = work.isApproved else {
            throw Self.invalidState
        }
        let mask = try device.record.mask
        let unmasked: Secret? =
            if let password { try await mask.key(password: password) } else { nil }
        let (counter, record) = try await device.change {
            (record: inout DeviceRecord, _) throws(OrchestrationError) in
            // While a change of the password is open, nobody knows which key counts.
            guard method != .password || record.change == nil,
                record.mask.masked.isEqualInConstantTime(to: mask.masked)
            else { throw Self.inProgress }
            return (try record.nextCounter(), record)
        }
        let key =
            switch method {
            case .none: record.noneKey
            case .password: unmasked
            case .biometric: record.biometricKey
            }
        guard let key else { throw Self.invalidState }
        let answer = RemoteAnswer(
            work: work, question: question, method: method, flow: flow.id, counter: counter)
        let body = try answer.body(
            instanceKey: isApproved ? key : nil, signingKey: try record.signer())
        let sealed = try sealer.seal(
            work.isTransaction ? .transactionAnswer : .authenticationAnswer, body, of: record,
            flow: flow.id, counter: counter)
        var next = work
        next.stage = .answering
        flow.work = .remote(next)
        flow.deadline = nil
        return send(sealed, in: &flow)
    }
}
