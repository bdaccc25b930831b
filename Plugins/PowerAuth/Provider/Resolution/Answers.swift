import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Activations {
    /// Makes the body of an answer, and has it signed if that takes the user: a signature of
    /// possession is made when it's sent, with a counter of its own each time.
    func answer(to decision: Decision, of account: Account) async throws(PushError) -> Signing {
        switch decision.resolution {
        case .deny(let reason): return rejection(decision.announcement.notice.id, reason)
        case .approve: return try await approval(decision, of: account)
        case .choose, .enter:
            throw PushError(.invalidResolution, "An operation is approved or rejected.")
        }
    }

    private func rejection(_ id: Challenge.ID, _ reason: DenyReason) -> Signing {
        let body: JSON = [
            "requestObject": [
                "id": .string(id.name), "reason": .string(PowerAuthRejectionReason(reason).text),
            ]
        ]
        let request = PreparedAnswer.Request(approves: false, body: body.data, header: nil)
        return Signing(Answer(PreparedAnswer.request(request).sealed, kept: .wholeOnceOpen))
    }

    private func approval(
        _ decision: Decision, of account: Account
    ) async throws(PushError) -> Signing {
        // Nobody approves what nobody saw.
        guard let challenge = decision.challenge, case .approve = challenge.prompt,
            let operation = challenge.details(as: PowerAuthOperation.self)
        else { throw PushError(.invalidResolution, "The operation must be opened first.") }
        try decision.check(call: operation.ui.blockApprovalOnCall)
        let factors = try PowerAuthFactors(for: challenge.verification, decision.evidence)
        let proximity = try await proximityCheck(of: operation, decision)
        let body = Self.authorization(of: operation, proximity).data
        guard factors.isCounted else {
            let request = PreparedAnswer.Request(approves: true, body: body, header: nil)
            return Signing(Answer(PreparedAnswer.request(request).sealed, kept: .wholeOnceOpen))
        }
        // What was blocked may be unblocked by now, and no push tells of it for certain.
        _ = try await channel.active(account)
        let nonce = environment.random.array(SignatureHeader.nonceCount)
        return try await channel.signing(by: factors, of: account) {
            (taken) throws(PushError) -> Answer in
            let header = try channel.header(
                of: SignedData(.authorize, body), by: taken, nonce: nonce)
            // With the keys of this device, the signature would let a PIN be tried out: it isn't
            // kept.
            let request = PreparedAnswer.Request(approves: true, body: body, header: header)
            return Answer(PreparedAnswer.request(request).sealed, kept: .nothing)
        }
    }

    private func proximityCheck(
        of operation: PowerAuthOperation, _ decision: Decision
    ) async throws(PushError) -> JSON? {
        let now = await channel.now(for: decision.announcement.notice.id.enrollment)
        let check: (otp: Secret, type: PowerAuthProximityCheck.Kind, age: TimeInterval)
        if let given = decision.approval.proximityCheck {
            let age = environment.clock.now.timeIntervalSince(given.timestampReceived)
            check = (given.otp, given.type, age)
        } else if case .operation(let code?) = try decision.announcement.note,
            code.received <= environment.clock.elapsed
        {
            let age = environment.clock.elapsed - code.received
            check = (code.otp, code.type, TimeInterval(age.components.seconds))
        } else {
            guard !operation.ui.needsProximityCode else {
                throw PushError(.invalidResolution, "The proximity code must be scanned first.")
            }
            return nil
        }
        let otp = check.otp.copiedText()
        return [
            "otp": .string(otp), "type": .string(check.type.rawValue),
            "timestampReceived": .string(ServerDate.utc(now - max(0, check.age))),
            "timestampSent": .string(ServerDate.utc(now)),
        ]
    }

    /// The request that approves: the operation's data goes back as it came.
    static func authorization(of operation: PowerAuthOperation, _ proximity: JSON?) -> JSON {
        var object: JSON.Object = [
            "id": .string(operation.id), "data": .string(operation.data),
        ]
        object["proximityCheck"] = proximity
        return ["requestObject": .object(object)]
    }
}

extension Decision {
    /// What came along with a yes.
    var approval: PowerAuthApproval {
        extras(as: PowerAuthApproval.self)
            ?? PowerAuthApproval(proximityCheck: extras(as: PowerAuthProximityCheck.self))
    }

    /// Refuses to approve what mustn't be approved during a call, unless the app says there is
    /// none.
    func check(call isBlocked: Bool) throws(PushError) {
        guard isBlocked, approval.isOnCall != false else { return }
        throw PushError(
            .invalidResolution,
            "It mustn't be approved during a call, and the app doesn't rule one out: "
                + "PowerAuthApproval.isOnCall.")
    }
}

extension PowerAuthFactors {
    /// What signs: possession if nothing else is asked for, else what the user brought of the
    /// alternatives.
    ///
    /// - Throws: `PushError` with the code `verificationFailed` if that is nothing.
    init(for alternatives: [[Factor]], _ evidence: [Evidence]) throws(PushError) {
        if alternatives.isEmpty {
            self = .possession
        } else if alternatives.contains([.pin]), let pin = evidence.pin {
            self = .pin(pin)
        } else if alternatives.contains([.biometry]), let secret = evidence.biometricSecret {
            self = .biometry(secret)
        } else {
            throw PushError(
                .verificationFailed, "The verifier brought nothing that can sign this.")
        }
    }
}
