public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PowerAuthRequestBuilder {
    /// Sends a request, and says what the server answered.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - transport: What sends it; the provider's own transport if `nil`.
    /// - Returns: The reply, whatever its status, unless it refuses the proof.
    /// - Throws: `PushError` with the codes of ``reply(_:body:to:)``, or what the transport throws.
    ///   After a lost reply the server is asked for the activation's status, which brings the counter
    ///   together again: the code stays `interrupted` or `oversizedReply`, and `underlying` is a
    ///   ``PowerAuthLostReply`` if the request was signed.
    public func send(
        _ request: PowerAuthRequest, over transport: (any Transport)? = nil
    ) async throws(PushError) -> PowerAuthReply {
        let answer: (response: HTTPResponse, body: Data)
        do throws(PushError) {
            let sender = transport ?? channel.environment.transport
            answer = try await sender.send(request.head, body: request.body)
        } catch {
            guard error.isReplyLost, case .signature = request.proof else { throw error }
            let fate = await lostReply(to: request)
            throw PushError(error.code, error.reason, underlying: fate)
        }
        return try await reply(answer.response, body: answer.body, to: request)
    }

    /// Judges what a server answered, for an app that sends with its own HTTP client. Call it in the
    /// same turn, with each reply.
    ///
    /// - Returns: The reply, and what was in its envelope.
    /// - Throws: `PushError`. If the server refuses a signature in its documented form, it is asked
    ///   for the activation's status: the code is `notTaken` with the attempts that are left,
    ///   `blocked` after the last one, `unknownEnrollment` if the activation is over, or
    ///   `server(status: 401)` where no attempt was counted. If it refuses a token, that is forgotten
    ///   or the time is corrected, and the code is `server(status: 401)`: build the request again,
    ///   once. `untrusted` if a success that should be encrypted can't be opened.
    public func reply(
        _ response: HTTPResponse, body: Data, to request: PowerAuthRequest
    ) async throws(PushError) -> PowerAuthReply {
        let isSuccess = 200..<300 ~= response.status.code
        if let refusal = refusal(response.status.code, body) {
            throw await error(for: refusal, to: request)
        }
        guard isSuccess, request.opener != nil else {
            // A plain success proves nothing of the counter: anybody on the way can answer 200.
            return PowerAuthReply(response: response, body: body, opened: nil)
        }
        let opened = try request.opened(body)
        if case .signature = request.proof { await channel.noteFollowed(account) }
        return PowerAuthReply(response: response, body: body, opened: opened)
    }

    /// What became of a signed request whose reply was lost, for an app that sends with its own HTTP
    /// client. The server is asked for the activation's status.
    public func lostReply(to request: PowerAuthRequest) async -> PowerAuthLostReply {
        guard case .signature(_, let byte?) = request.proof,
            let blob = try? await channel.status(of: account).blob
        else { return .unknown }
        let distance = Int8(bitPattern: byte &- blob.counterByte)
        return distance == 0 ? .signatureTaken : distance > 0 ? .signatureNotTaken : .unknown
    }

    /// The refusal of a proof, if it's in the server's documented form. A bank's own 401 says nothing
    /// of it.
    private func refusal(_ status: Int, _ body: Data) -> HTTPReply? {
        guard status == 401, let reply = try? HTTPReply(status: status, body: body),
            reply.isAuthenticationRefusal
        else { return nil }
        return reply
    }

    private func error(
        for refusal: HTTPReply, to request: PowerAuthRequest
    ) async -> PushError {
        switch request.proof {
        case .none: refusal.error
        case .signature(let factors, _):
            await channel.failure(refusal, of: account, factors: factors)
        case .token(let name, let token, let time):
            await Tokens(channel: channel, account: account)
                .failure(refusal, of: token, named: name, sentAt: time)
        }
    }
}
