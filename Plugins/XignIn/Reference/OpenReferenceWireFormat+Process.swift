import HTTPTypes
public import PushCore
import PushJOSE
public import PushXignIn

extension OpenReferenceWireFormat {
    /// Fetches what a process is about.
    public func initialization(
        of announcement: Announcement, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticationInitializationData> {
        let process = announcement.notice.id
        let channel = try await OpenReferenceChannel(of: process.enrollment, using: access)
        let messageID = try ProcessContext(reading: announcement.context).messageID
        let reply = try await channel.send(
            Self.request(process, "initialization", ["message_jti": .string(messageID)]))
        return try reply.map { (answer) throws(PushError) in
            try Self.check(answer, process)
            let api = try answer.text("api")
            try access.check(api: api)
            return AuthenticationInitializationData(
                of: process, api: SmartDeviceAPI(api) ?? access.supportedAPI.upperBound,
                expiresAt: try answer.date("expires_at"),
                service: try ServiceInformation(answer),
                organization: try OrganizationInformation(answer),
                context: ProcessContext(nonce: try answer.text("nonce")).sealed)
        }
    }

    /// Starts a process.
    public func start(
        _ data: AuthenticationInitializationData, of enrollment: Enrollment.ID,
        using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticateRequest> {
        let process = Challenge.ID(data.processId, of: enrollment)
        let channel = try await OpenReferenceChannel(of: enrollment, using: access)
        let nonce = try ProcessContext(reading: data.context).nonce
        let reply = try await channel.send(
            Self.request(process, "start", ["nonce": .string(nonce)]))
        return try reply.map { (answer) throws(PushError) in
            try Self.check(answer, process)
            var request = AuthenticateRequest(
                of: process, expiresAt: try answer.date("expires_at"),
                service: try ServiceInformation(answer),
                organization: try OrganizationInformation(answer),
                context: ProcessContext(challenge: try answer.identifier("challenge")).sealed)
            request.readRoles(try answer.array("roles"))
            request.readAttributes(try answer.object("info").members)
            request.transaction = try TransactionText.checked(answer)
            request.availableAuthenticators = channel.record.authenticators(access)
            return request
        }
    }

    /// Makes a rejection, or an assertion with the factors it takes.
    public func answer(
        _ decision: XignInDecision, to announcement: Announcement, using access: XignInAccess
    ) async throws(PushError) -> XignInAnswer {
        switch decision {
        case .reject(let reason):
            let body = AnswerBody(call: .reject, body: ["reason": .string(reason.rawValue)])
            return XignInAnswer(whole: body.sealed, kept: body.sealed)
        case .approve(let approval):
            let process = announcement.notice.id
            let channel = try await OpenReferenceChannel(of: process.enrollment, using: access)
            return try await AssertedAnswer(approval, process, channel).signed()
        }
    }

    /// Sends an answer.
    public func send(
        _ answer: Secret, to announcement: Announcement, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInVerdict> {
        let process = announcement.notice.id
        let channel = try await OpenReferenceChannel(of: process.enrollment, using: access)
        let body = try AnswerBody(reading: answer)
        let reply = try await channel.send(
            SignedRequest(.post, Self.path(process, body.call.rawValue), body: body.bytes))
        switch reply {
        case .done(let data): return try body.verdict(in: try data.object("result"))
        case .refused(.factorsMissing) where body.call == .reject:
            throw PushError(.server(status: 400), "A rejection takes no factors.")
        case .refused(let refusal): return .refused(refusal)
        }
    }

    private static func request(
        _ process: Challenge.ID, _ call: String, _ body: JSON
    ) -> SignedRequest {
        SignedRequest(.post, path(process, call), body)
    }

    /// Its identifier was checked when the push was read.
    private static func path(_ process: Challenge.ID, _ call: String) -> String {
        "processes/\(process.name)/\(call)"
    }

    private static func check(_ answer: Claims, _ process: Challenge.ID) throws(PushError) {
        guard try answer.text("pid").utf8.elementsEqual(process.name.utf8) else {
            throw Claims.wrong("pid")
        }
    }
}
