import HTTPTypes
import PushCore
import PushXignIn

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The authenticated channel to a manager: every request is signed by the device, every answer by
/// the manager.
///
/// An answer that can't be proved to be the manager's changes nothing, as if none had come.
struct OpenReferenceChannel {
    let access: XignInAccess
    let record: ActivationRecord
    let issuer: String

    private var enrollment: Enrollment.ID { access.enrollment(at: record.idm) }

    /// The channel of an activation.
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if its manager hasn't confirmed it.
    init(of account: Account, using access: XignInAccess) throws(PushError) {
        let record = try access.record(of: account, as: ActivationRecord.self)
        guard let activation = record.activation else {
            throw PushError(.unknownEnrollment, "The manager hasn't confirmed the activation.")
        }
        self.init(access: access, record: record, issuer: activation)
    }

    init(access: XignInAccess, record: ActivationRecord, issuer: String) {
        self.access = access
        self.record = record
        self.issuer = issuer
    }

    /// Asks the manager.
    ///
    /// A device whose clock is wrong is told the manager's time, and asks once more.
    func send(_ request: SignedRequest) async throws(PushError) -> XignInReply<Claims> {
        let reply = try await exchange(request, at: await serverTime())
        guard reply.isClockSkew else { return try reply.meaning }
        return try await exchange(request, at: reply.issued).meaning
    }

    /// The manager's time, or this device's if nothing is known of that.
    func serverTime() async -> Date {
        let clock = access.environment.clock
        let known = await clock.serverTime.now(
            at: nil, for: enrollment, elapsed: clock.elapsed)
        return known?.lowerBound ?? clock.now
    }

    private func exchange(
        _ request: SignedRequest, at time: Date
    ) async throws(PushError) -> ProvedReply {
        let clock = access.environment.clock
        let id = access.environment.random.token()
        let signer = SignedRequest.Signer(
            key: record.deviceKey, issuer: issuer, audience: record.idm,
            api: access.configuration.supportedAPI)
        var headers: HTTPFields = [
            .authorization: "OXRW " + (try request.authorization(signer, id: id, time: time)),
            .accept: "application/jose",
        ]
        if !request.body.isEmpty { headers[.contentType] = "application/json" }
        let endpoint = try Endpoint("\(record.manager.text)\(request.path)")
        let sent = clock.elapsed
        let (response, body) = try await access.environment.transport.send(
            endpoint.request(request.method, headers: headers), body: request.body)
        let received = clock.elapsed
        let reply = try proved(
            response.status.code, body, ProvedReply.Question(id: id, issuer: issuer))
        await clock.serverTime.note(
            signed: reply.issued, for: enrollment, sent: sent, received: received)
        return reply
    }

    /// The answer, or an error that says that none came.
    private func proved(
        _ status: Int, _ body: Data, _ question: ProvedReply.Question
    ) throws(PushError) -> ProvedReply {
        do throws(PushError) {
            let reply = try ProvedReply(status: status, body: body, to: question, from: record)
            guard status < 500, status != 429 else {
                throw PushError(.server(status: status), "The manager can't answer now.")
            }
            return reply
        } catch {
            if case .server = error.code { throw error }
            if status >= 500 || status == 429 {
                throw PushError(
                    .server(status: status), "The manager, or who stands before it, can't answer.")
            }
            access.environment.observer.observe(
                PushObservation(
                    .noticed, "An answer isn't provably the manager's, and counts as lost.",
                    provider: access.provider))
            throw PushError(
                .interrupted, "The answer isn't provably the manager's.", underlying: error)
        }
    }
}
