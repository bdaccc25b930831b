/// What the app said of this device's tokens: the newest of each push service, and those that it
/// gave one enrollment alone.
struct DeviceTokens: Sendable {
    static let collection = "device"

    private let core: AuthenticatorCore

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    // MARK: What the app says

    /// Remembers a service's token; `nil` if the device has none any more.
    func remember(
        _ deviceToken: DeviceToken?, of service: DeviceToken.Service
    ) async throws(PushError) {
        try await core.turns.turn(.deviceToken) { () async throws(PushError) -> Void in
            try await write(deviceToken, under: Self.key(service))
        }
    }

    /// Remembers the token that an enrollment gets for its own; `nil` if it has none.
    ///
    /// - Throws: ``PushError``: `unknownEnrollment`, `invalidArgument` if it isn't a token of a
    ///   service that the provider takes, `unsupported` if the enrollment takes none, `storage`.
    func remember(
        _ deviceToken: DeviceToken?, for id: Enrollment.ID
    ) async throws(PushError) {
        let services = try core.provider(id.provider).pushServices
        if let deviceToken {
            try deviceToken.check()
            guard services.contains(deviceToken.service) else {
                throw PushError(
                    .invalidArgument, "The provider takes no tokens of this push service.",
                    provider: id.provider)
            }
        }
        let hand = try await core.hand(of: id)
        try await hand.change { (document) throws(PushError) in
            try document.requireHere()
            guard deviceToken == nil || document.head.enrollment.takesDeviceToken else {
                throw PushError(
                    .unsupported, "The enrollment takes no device token.", provider: id.provider)
            }
            document.head.ownToken = .token(deviceToken)
        }
    }

    /// Lets an enrollment follow the device's tokens again.
    func followDevice(_ id: Enrollment.ID) async throws(PushError) {
        try await core.hand(of: id).change { document in document.head.ownToken = .unspecified }
    }

    // MARK: What a vendor should have

    /// The newest token that the app gave of each service. A record that is damaged counts as if
    /// the app had said nothing: it is reported, and the app gives its token again.
    func known() async throws(PushError) -> KnownDeviceTokens {
        var tokens = KnownDeviceTokens()
        for service in DeviceToken.Service.allCases {
            if case .token(let token) = try await said(under: Self.key(service)) {
                tokens.set(token, of: service)
            }
        }
        return tokens
    }

    /// The token that an enrollment's vendor should have.
    ///
    /// - Throws: `PushError` with the code `storage` if the store can't tell.
    func desired(for head: EnrollmentHead) async throws(PushError) -> DesiredDeviceToken {
        guard head.ownToken == .unspecified else { return head.ownToken }
        return try await desired(by: head.enrollment.id.provider)
    }

    /// The tokens that the vendors of several enrollments should have, by few trips to the store.
    ///
    /// - Throws: `PushError` with the code `storage` if the store can't tell.
    func desired(
        for heads: [EnrollmentHead]
    ) async throws(PushError) -> [Enrollment.ID: DesiredDeviceToken] {
        let services = DeviceToken.Service.allCases
        let found = try await core.environment.store.read(all: services.map(Self.key))
        var tokens = KnownDeviceTokens()
        for (service, record) in zip(services, found) {
            if case .token(let token) = try said(record) { tokens.set(token, of: service) }
        }
        var desired: [Enrollment.ID: DesiredDeviceToken] = [:]
        for head in heads {
            desired[head.enrollment.id] =
                head.ownToken == .unspecified
                ? try await self.desired(by: head.enrollment.id.provider, among: tokens)
                : head.ownToken
        }
        return desired
    }

    /// The token that a provider's new enrollments should have.
    func desired(
        by provider: ProviderID, among tokens: KnownDeviceTokens? = nil
    ) async throws(PushError) -> DesiredDeviceToken {
        guard let services = core.registry[provider]?.pushServices, !services.isEmpty else {
            return .unspecified
        }
        if let tokens { return tokens.desired(by: services) }
        return try await known().desired(by: services)
    }

    /// Whether each enrollment's vendor has the newest device token.
    ///
    /// - Parameter ids: The enrollments; `nil` for all.
    /// - Returns: Of each that is there.
    /// - Throws: `PushError` with the code `storage` if the store can't tell.
    func states(
        of ids: [Enrollment.ID]? = nil
    ) async throws(PushError) -> [Enrollment.ID: DeviceToken.State] {
        let hands =
            if let ids {
                try await core.documents.read(all: ids).compactMap { try? $0.found.get() }
            } else {
                try await core.surveyed()
            }
        let heads = hands.map(\.document.head)
        let desired = try await desired(for: heads)
        var states: [Enrollment.ID: DeviceToken.State] = [:]
        for head in heads {
            let id = head.enrollment.id
            states[id] = state(of: head.shown, desired: desired[id] ?? .unspecified)
        }
        return states
    }

    /// The same for one enrollment.
    func state(of id: Enrollment.ID) async throws(PushError) -> DeviceToken.State {
        _ = try core.provider(id.provider)
        let head = try await core.hand(of: id).document.head
        return state(of: head.shown, desired: try await desired(for: head))
    }

    private func state(
        of enrollment: Enrollment, desired: DesiredDeviceToken
    ) -> DeviceToken.State {
        if enrollment.has(desired) { return .current }
        let capabilities = core.registry[enrollment.id.provider]?.capabilities ?? []
        return capabilities.contains(.call(for: desired.token)) ? .waiting : .unsupported
    }

    // MARK: Records

    private func said(under key: RecordKey) async throws(PushError) -> DesiredDeviceToken {
        let content = await Result { () async throws(PushError) in
            try await core.environment.store.read(key)
        }
        return try said(StoredRecord(key, content))
    }

    private func said(_ record: StoredRecord) throws(PushError) -> DesiredDeviceToken {
        do throws(PushError) {
            guard let (value, _) = try record.content.get() else { return .unspecified }
            return .token(
                try Secret.Record(reading: value).fields.optional("token") {
                    (json) throws(PushError) in try DeviceToken(json: json)
                })
        } catch  where error.code == .malformed {
            core.report(damaged: .deviceToken, "A device token is damaged: give it again.")
            return .unspecified
        }
    }

    private func write(
        _ deviceToken: DeviceToken?, under key: RecordKey
    ) async throws(PushError) {
        let record = Secret.Record(fields: ["token": deviceToken?.json ?? .null])
        let store = core.environment.store
        // A damaged record is overwritten; only the observer hears of it.
        if try await store.replace(key, { _ in record.sealed }) {
            core.report(damaged: .deviceToken, "A device token was damaged, and was written again.")
        }
    }

    private static func key(_ service: DeviceToken.Service) -> RecordKey {
        RecordKey(collection, service.rawValue)
    }
}

extension Capabilities {
    /// The capability that a vendor needs to be told this token; for `nil`, that the device has
    /// lost its token.
    static func call(for deviceToken: DeviceToken?) -> Capabilities {
        deviceToken == nil ? .tokenRemoval : .tokenUpdate
    }
}

extension Enrollment {
    /// Whether the vendor certainly has what is wanted, and no other token; also if it takes none.
    func has(_ desired: DesiredDeviceToken) -> Bool {
        switch desired {
        case .unspecified: true
        case .token(let token):
            !takesDeviceToken || state == .movedAway || deviceToken == token && !isTokenDoubtful
        }
    }
}

/// The newest token that the app gave of each push service.
struct KnownDeviceTokens: Sendable {
    private var known: [DeviceToken.Service: DeviceToken?] = [:]

    /// Learns what the app said of a service last.
    mutating func set(_ token: DeviceToken?, of service: DeviceToken.Service) {
        known[service] = .some(token)
    }

    /// The token for a provider: of the first service it takes that the app has a token of.
    func desired(by services: [DeviceToken.Service]) -> DesiredDeviceToken {
        let said = services.compactMap { known[$0] }
        guard !said.isEmpty else { return .unspecified }
        return .token(said.lazy.compactMap(\.self).first)
    }
}
