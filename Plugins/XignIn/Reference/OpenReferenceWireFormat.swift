import HTTPTypes
public import PushCore
public import PushXignIn

/// OXRW/1, our open reference wire format: the documented semantics in a format that anyone can
/// implement.
///
/// It is not the vendor's protocol, and doesn't work with the vendor's products. Pushes are minimal
/// and signed (ES256) by a key that was pinned at personalization; every request is signed by the
/// device, every answer by the manager; neither the activation secret nor the PIN can be read on the
/// way.
public struct OpenReferenceWireFormat: XignInWireFormat {
    /// How long a push with an unknown key waits at the most until its manager may be asked for its
    /// newest keys.
    ///
    /// Anyone can forge such a push, so there is a pause between two questions. A push that would have
    /// to wait for longer is refused at once. Where the manager's answer is lost, the question is asked
    /// once more, if that is within the same wait.
    public let keyWait: Duration

    private let keyQuestions = KeyQuestions()

    /// Creates the format.
    ///
    /// - Parameter keyWait: How long a push with an unknown key waits at the most; 15 seconds by
    ///   default.
    public init(keyWait: Duration = .seconds(15)) { self.keyWait = keyWait }

    /// An activation can have a biometric key.
    public var takesBiometry: Bool { true }

    /// A push that has the key `oxrw`.
    public func candidate(in message: PushMessage) -> XignInCandidate? {
        PushEnvelope(message).map { XignInCandidate($0, verifiedBy: message(from:using:)) }
    }

    private func message(
        from push: PushEnvelope, using access: XignInAccess
    ) async throws(PushError) -> XignInMessage {
        try await push.message(using: access, among: keyQuestions, within: keyWait)
    }
}

// MARK: Activations

extension OpenReferenceWireFormat {
    /// Reads a link `oxrw://personalize?d=…`.
    ///
    /// - Throws: `PushError` with the code `invalidInvitation` if it is such a link, but can't be used.
    public func invitation(
        in text: Secret, allowsPlainHTTP: Bool
    ) throws(PushError) -> XignInInvitation? {
        try ActivationLink(text, allowsPlainHTTP: allowsPlainHTTP).map { link in
            XignInInvitation(
                idmIdentifier: link.idm, host: link.manager.host, port: link.manager.port)
        }
    }

    /// Makes the keys of this activation alone, stretches the PIN and seals what the manager needs to
    /// check it.
    ///
    /// - Throws: `PushError` with the code `invalidInvitation` if the link can't be used,
    ///   `invalidArgument` if the device token isn't Firebase's, `verificationFailed` if what biometry
    ///   unlocks has less than 16 bytes.
    public func record(
        for personalization: XignInPersonalization, using access: XignInAccess
    ) async throws(PushError) -> Secret {
        try await NewActivation(personalization, using: access).record().sealed
    }

    /// Asks for the activation. The same keys and the same body are sent each time, so that a manager
    /// that has answered before gives the same answer.
    ///
    /// - Throws: `PushError` as `XignInWireFormat` says; `alreadyEnrolled` if the manager has confirmed
    ///   the activation, `unsupported` if it chose a version that this app doesn't speak.
    public func activate(
        _ account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInActivation> {
        try await RequestedActivation(account, using: access).reply()
    }

    /// Sets, replaces or removes the token.
    ///
    /// - Throws: `PushError` as `XignInWireFormat` says; `invalidArgument` if the token isn't
    ///   Firebase's.
    public func setDeviceToken(
        _ deviceToken: DeviceToken?, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        let channel = try OpenReferenceChannel(of: account, using: access)
        let token = try deviceToken.map(PushToken.text)
        let body: JSON = [
            "token": token.map(JSON.string) ?? .null,
            "platform": .string(
                PushToken.platform(of: access.environment.device, hasToken: token != nil)),
        ]
        let reply = try await channel.send(
            SignedRequest(.put, "activations/\(channel.issuer)/push-token", body))
        return try reply.reading { (answer) throws(PushError) in try answer.bool("token_set") }
    }

    /// Ends the activation; the token goes with it.
    ///
    /// - Throws: `PushError` as `XignInWireFormat` says.
    public func endActivation(
        _ account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        let channel = try OpenReferenceChannel(of: account, using: access)
        let reply = try await channel.send(
            SignedRequest(.delete, "activations/\(channel.issuer)"))
        return try reply.reading { (answer) throws(PushError) in try answer.bool("removed") }
    }

    /// Nothing is kept outside a record.
    public func discard(_ record: Secret, using access: XignInAccess) async {}
}

// MARK: Processes

extension OpenReferenceWireFormat {
    /// Fetches what a process is about.
    ///
    /// - Throws: `PushError` as `XignInWireFormat` says; `unsupported` if the manager chose a version
    ///   that this app doesn't speak.
    public func initialization(
        for announcement: Announcement, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticationInitializationData> {
        let process = announcement.notice.id
        let channel = try OpenReferenceChannel(of: account, using: access)
        let messageID = try ProcessContext(reading: announcement.context).messageID
        let reply = try await channel.send(
            Self.request(process, "initialization", ["message_jti": .string(messageID)]))
        return try reply.reading { (answer) throws(PushError) in
            try Self.check(answer, process)
            try access.check(api: try answer.text("api"))
            return AuthenticationInitializationData(
                of: process, expiresAt: try answer.date("expires_at"),
                service: try ServiceInformation(answer),
                organization: try OrganizationInformation(answer),
                context: ProcessContext(nonce: try answer.text("nonce")).sealed)
        }
    }

    /// Starts a process.
    ///
    /// - Throws: `PushError` as `XignInWireFormat` says; `untrusted` if the hash of the transaction is
    ///   another text's.
    public func start(
        _ data: AuthenticationInitializationData, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticateRequest> {
        let process = Challenge.ID(data.processId, of: account.id)
        let channel = try OpenReferenceChannel(of: account, using: access)
        let nonce = try ProcessContext(reading: data.context).nonce
        let reply = try await channel.send(
            Self.request(process, "start", ["nonce": .string(nonce)]))
        return try reply.reading { (answer) throws(PushError) in
            try Self.check(answer, process)
            var request = AuthenticateRequest(
                of: process, expiresAt: try answer.date("expires_at"),
                service: try ServiceInformation(answer),
                organization: try OrganizationInformation(answer),
                context: ProcessContext(challenge: try answer.identifier("challenge")).sealed)
            request.readRoles(try answer.array("roles"))
            request.readAttributes(try answer.object("info").members)
            request.transaction = try TransactionText.checked(answer)
            request.availableAuthenticators = channel.record.authenticators
            return request
        }
    }

    /// Makes a rejection, or an assertion with the factors it takes.
    ///
    /// - Throws: `PushError` with the code `verificationFailed` if the activation has no such factor,
    ///   `guardLost` if biometry unlocks another secret than the activation was made with,
    ///   `unknownEnrollment` or `malformed` as `XignInWireFormat` says.
    public func answer(
        _ decision: XignInDecision, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) async throws(PushError) -> XignInAnswer {
        switch decision {
        case .reject(let reason):
            let body = AnswerBody(
                call: .reject, body: ["reason": .string(Self.rejectionName(of: reason))])
            return XignInAnswer(whole: body.sealed, kept: body.sealed)
        case .approve(let approval):
            let process = announcement.notice.id
            let channel = try OpenReferenceChannel(of: account, using: access)
            return try await AssertedAnswer(approval, process, channel).signed()
        }
    }

    /// Sends an answer.
    ///
    /// - Throws: `PushError` as `XignInWireFormat` says.
    public func send(
        _ answer: Secret, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInVerdict> {
        let process = announcement.notice.id
        let channel = try OpenReferenceChannel(of: account, using: access)
        let body = try AnswerBody(reading: answer)
        let reply = try await channel.send(
            SignedRequest(.post, Self.path(process, body.call.rawValue), body: body.bytes))
        switch reply {
        case .success(let data): return try body.verdict(in: try data.object("result"))
        case .failure(.factorsMissing) where body.call == .reject:
            throw PushError(.server(status: 400), "A rejection takes no factors.")
        case .failure(let refusal): return .failure(refusal)
        }
    }

    /// The name of a reason in OXRW/1, which has two.
    private static func rejectionName(of reason: DenyReason) -> String {
        switch reason {
        case .fraud: "not_me"
        case .unexpected, .ignore, .custom: "user_declined"
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

extension XignInAccess {
    /// Refuses a version that this app doesn't speak.
    func check(api text: String) throws(PushError) {
        guard let api = SmartDeviceAPI(text), configuration.supportedAPI.contains(api) else {
            throw PushError(
                .unsupported, "The manager chose a version that this app doesn't speak.")
        }
    }
}
