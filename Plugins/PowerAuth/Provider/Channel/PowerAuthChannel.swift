import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The way to the server: the only place that does HTTP.
///
/// Whatever is sealed, signed or proved by a token is made here, for one request, and never again.
/// The caller holds the enrollment's turn.
struct PowerAuthChannel: Sendable {
    /// The name of the provider that it belongs to.
    let provider: ProviderID

    let configuration: PowerAuthConfiguration
    let environment: PushEnvironment

    // What it remembers is shared by its copies, lives in memory alone, and may be gone at any moment.
    private let temporaryKeys = TemporaryKeyCache()
    private let usableActivations = ListedEnrollments { $0.isUsable }

    /// What an app is just being told of a new activation.
    let activationWords = ActivationWordKeeper()

    init(
        _ provider: ProviderID, _ configuration: PowerAuthConfiguration,
        _ environment: PushEnvironment
    ) {
        self.provider = provider
        self.configuration = configuration
        // Envelopes and tokens must carry the server's own time; what stands before it may have
        // another.
        self.environment = environment.scoped(to: provider).withSignedTimeOnly
    }

    var accounts: Accounts { environment.accounts(for: provider) }

    func notice(_ summary: StaticString, at enrollment: Enrollment.ID? = nil) {
        environment.observer.observe(
            PushObservation(.noticed, summary, provider: provider, enrollment: enrollment))
    }

    /// Calls what needs no proof.
    ///
    /// - Parameters:
    ///   - path: The path, such as `/pa/v3/status`.
    ///   - requestObject: What is asked; `nil` sends `{}`.
    /// - Returns: The response object; `null` if there is none.
    /// - Throws: `PushError` with the code `server` or of the server's own error if the reply isn't
    ///   a success, `malformed` if it can't be read, or what the transport throws.
    func plain(_ path: String, _ requestObject: JSON? = nil) async throws(PushError) -> JSON {
        let body: JSON = requestObject.map { ["requestObject": $0] } ?? [:]
        return try await post(path, body.data).value
    }

    /// Posts bytes as they are.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - body: The bytes.
    ///   - proof: The header field that proves something of them, and its value.
    ///   - encryption: What ``EncryptionScope/header(_:)`` says of them, where nothing else does.
    /// - Returns: The reply, whatever its status, below 500 and other than 429.
    /// - Throws: `PushError` with the code `server` for another status, `malformed` if the reply
    ///   can't be read, or what the transport throws.
    func post(
        _ path: String, _ body: Data, proof: (header: String, value: String)? = nil,
        encryption: String? = nil
    ) async throws(PushError) -> HTTPReply {
        var headers: HTTPFields = [
            .contentType: "application/json", .accept: "application/json",
        ]
        headers[.acceptLanguage] = configuration.acceptLanguage
        let proofs = [proof, encryption.map { (EncryptionScope.headerName, $0) }]
        for (name, value) in proofs.compactMap(\.self) {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let (response, data) = try await environment.transport.send(
            request(path, headers), body: body)
        return try HTTPReply(response, body: data)
    }

    /// Only the configured servers are ever asked: no reply names another.
    private func request(_ path: String, _ headers: HTTPFields) -> HTTPRequest {
        let base =
            path.hasPrefix("/api/") ? configuration.operationServer : configuration.enrollmentServer
        return HTTPRequest(
            method: .post, scheme: base.scheme, authority: base.authority,
            path: base.path.utf8.count == 1 ? path : base.path.trimmingSlashes + path,
            headerFields: headers)
    }
}

// MARK: What is remembered

extension PowerAuthChannel {
    /// The activations that the server may still know.
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if there is no such enrollment.
    func usable(in accounts: Accounts) async throws(PushError) -> Set<Enrollment.ID> {
        try some(Set(await accounts.enrollments().filter(\.isUsable).map(\.id)))
    }

    /// The same, as they were a few seconds ago.
    func recentlyUsable(in accounts: Accounts) async throws(PushError) -> Set<Enrollment.ID> {
        try some(await usableActivations.ids(in: accounts, environment.clock))
    }

    private func some(_ ids: Set<Enrollment.ID>) throws(PushError) -> Set<Enrollment.ID> {
        guard !ids.isEmpty else {
            throw PushError(.unknownEnrollment, "There is no activation on this device.")
        }
        return ids
    }

    /// Has them read the next time: one was made, has changed its state or is gone.
    func forgetUsable() async { await usableActivations.forget() }

    /// Deletes an activation's record, with what is remembered of it.
    func delete(_ account: Account) async throws(PushError) {
        if let record = try? account.record { await temporaryKeys.forget(scope(record)) }
        try await accounts.delete(account.id)
        await forgetUsable()
    }

    /// Has the next envelope sealed for a new temporary key.
    func forgetTemporaryKeys() async { await temporaryKeys.removeAll() }

    /// Drops everything that is kept in memory, as may happen at any moment.
    func dropCaches() async {
        await temporaryKeys.removeAll()
        await forgetUsable()
    }

    /// The key to seal for, and whether it, or the time that goes with it, was known before.
    ///
    /// Below 3.3 there is only the server's own key; then nothing tells the server's time by the
    /// way, so it's asked for where it goes with what is sealed. From 3.3 on a key that is kept spares
    /// reading the server's own.
    func encryptionKey(
        _ scope: EncryptionScope, _ serverKey: @autoclosure () throws(PushError) -> CurvePoint
    ) async throws(PushError) -> (key: EncryptionKey, wasKept: Bool) {
        switch configuration.version {
        case .v3_1: return (EncryptionKey(id: nil, publicKey: try serverKey()), false)
        case .v3_2:
            let isKnown = await knownTime(for: enrollment(of: scope)) != nil
            if !isKnown { _ = try? await askTime() }
            return (EncryptionKey(id: nil, publicKey: try serverKey()), isKnown)
        case .v3_3:
            if let kept = await temporaryKeys.key(for: scope, at: environment.clock.elapsed) {
                return (kept.key, true)
            }
            return (try await renewKey(scope, try serverKey()), false)
        }
    }

    /// Fetches a temporary key in place of the one that was kept, if there was one.
    @discardableResult
    func renewKey(
        _ scope: EncryptionScope, _ serverKey: CurvePoint
    ) async throws(PushError) -> EncryptionKey {
        await temporaryKeys.forget(scope)
        let fetched = try await temporaryKey(scope, serverKey)
        await temporaryKeys.keep(fetched, for: scope, at: environment.clock.elapsed)
        return fetched.key
    }

    private func temporaryKey(
        _ scope: EncryptionScope, _ serverKey: CurvePoint
    ) async throws(PushError) -> TemporaryKey {
        let request = TemporaryKeyRequest(scope, random: environment.random)
        let sent = environment.clock.elapsed
        let answer = try await plain(
            "/pa/v3/keystore/create", ["jwt": .string(try request.token())])
        guard let jwt = answer["jwt"]?.string else {
            throw PushError(.malformed, "The server made no temporary key.")
        }
        let key = try request.key(from: jwt, signedBy: serverKey, sent: sent)
        if let id = enrollment(of: scope) {
            await note(signed: key.issued, for: id, sent: sent)
        } else {
            // The application's key is nobody's own.
            await note(key.issued, sent: sent)
        }
        return key
    }
}

// MARK: Sealing

extension PowerAuthChannel {
    /// What every envelope of an activation is bound to.
    func scope(_ record: PowerAuthRecord) -> EncryptionScope {
        .activation(
            configuration.application, activationID: record.activationID,
            transportKey: record.transport)
    }

    /// What every envelope of the application is bound to.
    var applicationScope: EncryptionScope { .application(configuration.application) }

    /// Runs an exchange with a key to seal for, and with the server's time.
    ///
    /// A key that the server no longer takes, and a time that it takes no more, is replaced once:
    /// what it couldn't open, it hasn't done.
    ///
    /// - Parameters:
    ///   - scope: What the envelopes are bound to.
    ///   - serverKey: The scope's own server key.
    ///   - code: A refusal that says, beside those of every call, that an envelope couldn't be opened.
    ///   - exchange: Seals and sends a request, which it makes once more each time; its reply, and
    ///     what opens that.
    /// - Returns: The reply, and what opens it.
    /// - Throws: What `exchange` throws, and what asking for a key throws.
    func retryingKey<Opener: Sendable>(
        _ scope: EncryptionScope, _ serverKey: @autoclosure () throws(PushError) -> CurvePoint,
        besides code: PowerAuthErrorCode? = nil,
        _ exchange: (EncryptionKey) async throws(PushError) -> (reply: HTTPReply, opener: Opener)
    ) async throws(PushError) -> (reply: HTTPReply, opener: Opener) {
        let (key, wasKept) = try await encryptionKey(scope, try serverKey())
        let time = await now(for: enrollment(of: scope))
        let first = try await exchange(key)
        guard wasKept, let refusal = first.reply.refusal,
            [.encryption, .temporaryKey, code].contains(refusal)
        else { return first }
        if configuration.version == .v3_3 {
            // A new key brings the time with it.
            return try await exchange(try await renewKey(scope, try serverKey()))
        }
        guard await correctsTime(time, scope, try serverKey()) else { return first }
        return try await exchange(key)
    }

    /// Makes what seals one kind of request.
    func encryptor(
        _ key: EncryptionKey, _ scope: EncryptionScope, _ sharedInfo1: String
    ) throws(PushError) -> RequestEncryptor {
        try RequestEncryptor(
            version: configuration.version, scope: scope, key: key, sharedInfo1: sharedInfo1,
            random: environment.random)
    }
}

extension String {
    fileprivate var trimmingSlashes: Substring {
        var text = self[...]
        while text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
        return text
    }
}
