import HTTPTypes
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request to the extension's device API.
struct DeviceCall {
    /// What it has for a body.
    enum Body {
        case none
        case json(JSON)
        /// `{"token": …}`: these claims, signed with the key that proves the request.
        case token(JSON.Object)
    }

    let method: HTTPRequest.Method

    /// What follows `push-mfa` in its address.
    let path: String
    let body: Body

    /// What the extension documents as `status` of its success; of a list it has none.
    private let words: [String]

    /// The query, which no proof has.
    var query: FormText?

    init(_ method: HTTPRequest.Method, _ path: String, _ body: Body, saying words: String...) {
        self.method = method
        self.path = path
        self.body = body
        self.words = words
    }

    /// Whether a reply is the realm's word that it did this.
    func isDone(by reply: ServerReply) -> Bool {
        words.isEmpty ? reply.entries != nil : words.contains(where: reply.hasStatus)
    }
}

/// Makes the requests of an enrollment, each with an access token and a proof.
struct DeviceCalls: Sendable {
    let provider: ProviderID
    let configuration: KeycloakConfiguration
    let environment: PushEnvironment
    let accessTokens: AccessTokens

    /// The extension takes a proof that is two minutes off by default, half a minute at the least.
    private static let tolerance = Duration.seconds(20)

    /// The token endpoint takes one of 25 seconds ago, or 15 ahead.
    private static let tokenTolerance = Duration.seconds(10)

    /// The realm of an issuer.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the configuration doesn't have it.
    func realm(_ issuer: String) throws(PushError) -> KeycloakConfiguration.Realm {
        guard let realm = configuration.realm(issuer) else {
            throw PushError(
                .invalidArgument, "The configuration has no realm of the enrollment's issuer.")
        }
        return realm
    }

    /// Now in whole seconds of Unix's epoch, by the clock of an enrollment's realm.
    func seconds(for account: Account) async throws(PushError) -> Int64? {
        let credential = try account.credential(as: KeycloakCredential.self)
        return Int64(
            exactly: await now(at: try realm(credential.issuer)).timeIntervalSince1970.rounded(.up))
    }

    /// Now by a realm's clock, as far as its replies have told it; else by this device's.
    func now(at realm: KeycloakConfiguration.Realm) async -> Date {
        let (clock, server) = (environment.clock, Endpoint.ServerID(realm.issuer, of: provider))
        return await clock.serverTime.now(at: server, elapsed: clock.elapsed)?.lowerBound
            ?? clock.now
    }

    // MARK: By an enrollment

    /// The reply to a call that an enrollment makes.
    ///
    /// While a key is being changed, the realm knows either the old one or the new one. The old one
    /// is tried first. What is proved by the new one, and succeeds, shows that the realm has taken
    /// it.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - account: The enrollment.
    ///   - readsAgain: Whether it is made by a key, too, that another process has put on record
    ///     meanwhile: not if its body was chosen by what was on record before.
    /// - Returns: The reply, which isn't the realm's word that the device is gone.
    /// - Throws: `PushError`: `unknownEnrollment` if the realm no longer knows the device;
    ///   the transport's errors, the store's, and those of a request for an access token.
    func reply(
        to call: DeviceCall, of account: Account, readsAgain: Bool = true
    ) async throws(PushError) -> ServerReply {
        let reply = try await anyReply(to: call, of: account, readsAgain: readsAgain)
        guard reply.saysGone else { return reply }
        try await account.changeEnrollment { $0.state = .needsReenrollment }
        throw PushError(
            .unknownEnrollment, "The realm no longer knows this device: enroll again.")
    }

    /// The same for an enrollment that ends here, whatever the realm says of it.
    func anyReply(
        to call: DeviceCall, of account: Account, readsAgain: Bool = true
    ) async throws(PushError) -> ServerReply {
        var tried: [Secret] = []
        var last: ServerReply?
        for isReadAgain in readsAgain ? [false, true] : [false] {
            // Another process may have changed the key.
            if isReadAgain { try await account.reload() }
            let credential = try account.credential(as: KeycloakCredential.self)
            for stored in [credential.key, credential.nextKey].compactMap(\.self)
            where !tried.contains(where: { $0.isEqualInConstantTime(to: stored) }) {
                tried.append(stored)
                let reply = try await reply(
                    to: call, from: credential, account.id, with: DeviceKey(stored: stored))
                last = reply
                guard !reply.says(.wrongProofSignature) else { continue }
                // If it can't be written now, the next call finds out again.
                if call.isDone(by: reply) { try? await promote(stored, of: account) }
                return reply
            }
        }
        guard let last else { throw PushError(.malformed, "The credential has no key.") }
        return last
    }

    /// Makes the key that the realm has taken the enrollment's one.
    func promote(_ stored: Secret, of account: Account) async throws(PushError) {
        let credential = try account.credential(as: KeycloakCredential.self)
        guard let next = credential.nextKey, next.isEqualInConstantTime(to: stored) else { return }
        try await account.change { (credential: inout KeycloakCredential, _) throws(PushError) in
            guard credential.nextKey?.isEqualInConstantTime(to: stored) == true else { return }
            credential.key = stored
            credential.nextKey = nil
        }
        if let old = try? DeviceKey(stored: credential.key) {
            await accessTokens.drop(old.thumbprint)
        }
    }

    // MARK: By a key

    /// The reply to a call that is proved with a key.
    func reply(
        to call: DeviceCall, from credential: KeycloakCredential, _ id: Enrollment.ID,
        with key: DeviceKey
    ) async throws(PushError) -> ServerReply {
        let realm = try realm(credential.issuer)
        let reply = try await proved(call, credential, id, key, realm)
        guard reply.says(.invalidAccessToken) else { return reply }
        // It was revoked, or the realm has started anew. Nothing was done yet.
        await accessTokens.drop(key.thumbprint)
        return try await proved(call, credential, id, key, realm)
    }

    private func proved(
        _ call: DeviceCall, _ credential: KeycloakCredential, _ id: Enrollment.ID,
        _ key: DeviceKey, _ realm: KeycloakConfiguration.Realm
    ) async throws(PushError) -> ServerReply {
        let token = try await accessToken(of: key, at: realm, for: id)
        let endpoint = try realm.device(call.path)
        let body = try Self.data(of: call.body, by: key)
        return try await signingTime(
            at: endpoint, for: id, tolerance: Self.tolerance,
            isRefused: { $0.says(.proofExpired) }
        ) { (time) async throws(PushError) in
            var proof = DPoPProof(
                of: call.method, endpoint, at: time, id: environment.random.uuid(),
                accessToken: token.value)
            proof.additional = [
                "sub": .string(credential.subject), "deviceId": .string(credential.deviceID),
            ]
            var headers: HTTPFields = [
                .accept: "application/json", .authorization: token.authorization,
                .dpop: try key.signed(proof),
            ]
            if !body.isEmpty { headers[.contentType] = "application/json" }
            var request = endpoint.request(call.method, headers: headers)
            if let query = call.query { request.path = "\(endpoint.path)?\(query.text)" }
            let (response, data) = try await environment.transport.send(request, body: body)
            return ServerReply(response, data)
        }
    }

    /// Sends what is proved with a time: the server's as far as it is known, and after a refusal
    /// its own.
    ///
    /// A realm may tell no time, and what is known be that of a gateway before it. So this device's
    /// own is tried as well.
    private func signingTime<Reply>(
        at endpoint: Endpoint, for id: Enrollment.ID, tolerance: Duration,
        isRefused: (Reply) -> Bool, _ send: (Date) async throws(PushError) -> Reply
    ) async throws(PushError) -> Reply {
        var tried: [Date] = []
        let reply = try await environment.signingTime(
            at: Endpoint.ServerID(endpoint, of: provider), for: id, tolerance: tolerance,
            isRefused: isRefused
        ) { (time) async throws(PushError) in
            tried.append(time)
            return try await send(time)
        }
        let own = environment.clock.now
        let limit = tolerance / .seconds(1)
        guard isRefused(reply), tried.allSatisfy({ abs($0.timeIntervalSince(own)) > limit }) else {
            return reply
        }
        return try await send(own)
    }

    private static func data(
        of body: DeviceCall.Body, by key: DeviceKey
    ) throws(PushError) -> Data {
        switch body {
        case .none: return Data()
        case .json(let json): return json.data
        case .token(let claims):
            let body: JSON = ["token": .string(try key.signed(claims))]
            return body.data
        }
    }

    // MARK: Access tokens

    /// - Throws: `PushError`; nothing but a request for a token was sent then, so whatever the
    ///   token endpoint says is `unreachable`: none of it says that the call itself may have been
    ///   taken.
    private func accessToken(
        of key: DeviceKey, at realm: KeycloakConfiguration.Realm, for id: Enrollment.ID
    ) async throws(PushError) -> AccessToken {
        do throws(PushError) {
            return try await accessTokens.token(for: key.thumbprint, environment.clock) {
                () async throws(PushError) in try await askForToken(of: key, at: realm, for: id)
            }
        } catch {
            switch error.code {
            case .interrupted, .oversizedReply, .server, .unsupported:
                throw PushError(
                    .unreachable, "Without an access token nothing was sent. \(error.reason)",
                    underlying: error)
            default: throw error
            }
        }
    }

    private func askForToken(
        of key: DeviceKey, at realm: KeycloakConfiguration.Realm, for id: Enrollment.ID
    ) async throws(PushError) -> AccessToken {
        let endpoint = realm.tokens
        let reply = try await signingTime(
            at: endpoint, for: id, tolerance: Self.tokenTolerance, isRefused: Self.mayRefuseTime
        ) { (time) async throws(PushError) in
            var (request, body) = realm.client.tokenRequest(to: endpoint, in: .form)
            request.headerFields[.dpop] = try key.signed(
                DPoPProof(of: .post, endpoint, at: time, id: environment.random.uuid()))
            let (response, data) = try await environment.transport.send(request, body: body)
            return try TokenReply(response, data)
        }
        switch reply {
        case .token(let token) where token.kind == .dpop: return token
        case .token:
            throw PushError(
                .unsupported, "The realm's client gives tokens that aren't bound by DPoP.")
        case .refused(let refusal):
            throw PushError(
                .server(status: refusal.status),
                Self.mayRefuseTime(reply)
                    ? "The token endpoint refused the request: this device's clock may be wrong."
                    : "The token endpoint refused the client: its identifier or secret may be wrong."
            )
        }
    }

    private static func mayRefuseTime(_ reply: TokenReply) -> Bool {
        guard case .refused(let refusal) = reply else { return false }
        return refusal.status == 400 && refusal.error.hasSameBytes(as: "invalid_request")
    }
}
