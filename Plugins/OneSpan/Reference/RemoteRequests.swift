import PushCore
import PushOneSpan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A remote workflow's work.
struct RemoteWork: Sendable {
    /// Where it is; section 7 of `docs/vendors/onespan-ooc.md`.
    enum Stage: Sendable {
        case fetching
        case deciding
        case authenticating
        case answering
    }

    /// What the server asked.
    struct Question: Sendable {
        let challenge: [UInt8]
        let digest: [UInt8]
        let method: AuthenticationMethod

        /// When the user's time is over, by the monotonic clock.
        let end: Duration

        /// Whether all that the server asked to show can be shown.
        var isApprovable = true
    }

    let deviceID: [UInt8]
    let isTransaction: Bool
    let requestID: String
    var stage = Stage.fetching

    /// `nil` before the challenge came, and for an answer that an earlier process made.
    var question: Question?

    /// What the user decided, if they did.
    var isApproved: Bool?
}

extension OpenReferenceEngine {
    /// Opens a trigger: anyone can send bytes to a device, and only the server can seal them.
    func openTrigger(
        _ envelope: CommandEnvelope
    ) async throws(OrchestrationError) -> (summary: CommandSummary, device: WorkflowAccount) {
        guard envelope.bytes.count <= OrchestrationCommand.pushLimit else {
            throw CommandEnvelope.malformed
        }
        let deviceID = envelope.header.principal.hexName
        guard let device = try await accounts.account(enrollment(deviceID)),
            try device.record.finalize == nil
        else { throw OrchestrationError(.commandNotForThisDevice, "It is another device's.") }
        let body = try envelope.open(with: device.record.keys.keyToDevice(envelope.header))
        let validity = try ReceivedValidity(body)
        let summary = CommandSummary(
            deviceID: deviceID, requestID: try body.text(.requestID),
            kind: envelope.header.type == .transactionRequest ? .transaction : .authentication,
            issuedAt: Date(milliseconds: validity.issuedAt),
            notAfter: Date(milliseconds: validity.notAfter))
        return (summary, device)
    }

    /// Executes a trigger: fetches the request in a new flow. Twice does no harm: the server says
    /// what became of the session.
    func fetch(_ envelope: CommandEnvelope) async throws(OrchestrationError) -> OrchestrationStep {
        let (summary, device) = try await openTrigger(envelope)
        let work = RemoteWork(
            deviceID: envelope.header.principal, isTransaction: summary.kind == .transaction,
            requestID: summary.requestID)
        var flow = Flow(id: newFlowID(), work: .remote(work))
        let progress = send(try await sealFetch(work, device, flow: flow.id), in: &flow)
        flows.add(flow)
        return progress.step
    }

    func sealFetch(
        _ work: RemoteWork, _ device: WorkflowAccount, flow: [UInt8]
    ) async throws(OrchestrationError) -> Flow.SentCommand {
        let (counter, record) = try await device.nextCounter()
        var body = BodyWriter()
        body.add(.requestID, work.requestID.utf8)
        return try sealer.seal(
            work.isTransaction ? .transactionFetch : .authenticationFetch, body.body, of: record,
            flow: flow, counter: counter)
    }

    /// 22 or 32: what the user must decide, or that the session is over.
    func takeChallenge(
        _ body: CommandBody, _ work: RemoteWork, _ device: WorkflowAccount, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        let state = try sessionState(body, of: work)
        guard state == .pending else { return (.outdated(state.outdated, flow.name), nil) }
        let validity = try ReceivedValidity(body)
        let known = AuthenticationMethod(code: try body.number(.requestedMethod))
        let display = try ReceivedDisplay(body)
        var request = OneSpanRequest(
            deviceID: work.deviceID.hexName, requestID: work.requestID, content: display.content,
            method: known ?? .password,
            validity: Date(milliseconds: validity.issuedAt)..<Date(milliseconds: validity.notAfter))
        request.problem = display.problem ?? (known == nil ? .unknownMethod : nil)
        request = request.judged(as: work.isTransaction ? .transaction : .authentication)
        var next = work
        // A decision stands for what the user saw, and for nothing else.
        if work.question?.digest != display.digest { next.isApproved = nil }
        if next.isApproved == true, request.problem != nil { next.isApproved = nil }
        next.question = RemoteWork.Question(
            challenge: try body.bytes(.challenge), digest: display.digest, method: request.method,
            end: environment.clock.elapsed + validity.duration,
            isApprovable: request.problem == nil)
        await learnTime(validity, device.id, flow)
        flow.deadline = next.question?.end
        if next.isApproved != nil { return try await decided(next, device, &flow) }
        next.stage = .deciding
        flow.work = .remote(next)
        flow.outstanding = nil
        request.sessionID = try body.text(.sessionID)
        request.canUseBiometry = try device.record.biometricKey != nil
        return (.display(request, flow.name), flow)
    }

    /// The server sealed when it made this reply, between the first sending of the fetch and now.
    /// What stands in the clear, such as the relay's `Date`, tells nothing.
    private func learnTime(
        _ validity: ReceivedValidity, _ enrollment: Enrollment.ID, _ flow: Flow
    ) async {
        guard let sent = flow.outstanding?.sent else { return }
        let clock = environment.clock
        await clock.serverTime.note(
            signed: Date(milliseconds: validity.issuedAt), for: enrollment, sent: sent,
            received: clock.elapsed)
    }

    private func sessionState(
        _ body: CommandBody, of work: RemoteWork
    ) throws(OrchestrationError) -> SessionState {
        guard let state = SessionState(rawValue: try body.number(.sessionState)) else {
            throw CommandEnvelope.malformed
        }
        guard try body.bytes(.requestID).elementsEqual(work.requestID.utf8) else {
            throw OrchestrationError(.unexpectedCommand, "It is about another request.")
        }
        return state
    }

    /// 24 or 34: what the server made of the answer.
    func takeResult(
        _ body: CommandBody, _ work: RemoteWork, _ flow: inout Flow
    ) throws(OrchestrationError) -> Progress {
        let state = try sessionState(body, of: work)
        let attempts = body[.remainingAttempts]?.first ?? 0
        let decidedHere: UInt8 = try body.number(.decidedHere)
        guard decidedHere <= 1 else { throw CommandEnvelope.malformed }
        if state == .pending {
            guard attempts > 0, decidedHere == 0 else { throw CommandEnvelope.malformed }
            return wrongResponse(Int(attempts), work, &flow)
        }
        guard decidedHere == 1 else { return (.outdated(state.outdated, flow.name), nil) }
        switch state {
        case .accepted, .refused:
            let token = body[.authToken].map { Secret($0) }
            let accepted = state == .accepted
            return (.finished(.answered(accepted: accepted, authToken: token), flow.name), nil)
        case .failed: return (.serverError(work.wrongResponse, flow.name), nil)
        case .expired, .unknown, .pending: return (.outdated(state.outdated, flow.name), nil)
        }
    }

    /// The session is still open, and the user may try again. Only a password can have been wrong.
    private func wrongResponse(
        _ attempts: Int, _ work: RemoteWork, _ flow: inout Flow
    ) -> Progress {
        let mayAsk = work.isApproved == true && work.question?.method != AuthenticationMethod.none
        guard work.question == nil || mayAsk else {
            return (.serverError(work.wrongResponse, flow.name), nil)
        }
        var next = work
        next.stage = .authenticating
        flow.work = .remote(next)
        flow.outstanding = nil
        flow.deadline = work.question?.end
        let problem = InputProblem.wrongResponse(attemptsLeft: attempts)
        return (.inputRejected(problem, flow.name, mayRetry: mayAsk), mayAsk ? flow : nil)
    }
}

extension RemoteWork {
    /// The server's number for a wrong answer, in OneSpan's ranges.
    fileprivate var wrongResponse: ServerError {
        ServerError(isTransaction ? -1_700 : -1_600, isAuthenticated: true)
    }
}
