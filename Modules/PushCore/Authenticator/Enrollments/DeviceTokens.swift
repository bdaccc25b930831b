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
        let record = Secret.Record(fields: ["token": deviceToken?.json ?? .null])
        let store = core.environment.store
        try await core.turns.turn(.deviceToken) { () async throws(PushError) -> Void in
            // A damaged record is overwritten; only the observer hears of it.
            guard try await store.replace(Self.key(service), { _ in record.sealed }) else { return }
            core.observe(
                .damaged(.deviceToken), "A device token was damaged, and was written again.")
        }
    }

    /// Remembers the token that an enrollment gets for its own; `nil` if it has none. Throws
    /// `invalidArgument` if the provider takes no token of its service, `unsupported` if the
    /// enrollment takes none.
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

    /// The token that an enrollment's vendor should have.
    func desired(for head: EnrollmentHead) async throws(PushError) -> DesiredDeviceToken {
        guard head.ownToken == .unspecified else { return head.ownToken }
        return try await desired(by: head.enrollment.id.provider)
    }

    /// The token that each enrollment's vendor should have, by few trips to the store.
    func desired(for heads: [EnrollmentHead]) async throws(PushError) -> [DesiredDeviceToken] {
        let said = try await self.said()
        return heads.map { head in
            head.ownToken == .unspecified
                ? desired(by: head.enrollment.id.provider, of: said) : head.ownToken
        }
    }

    /// The token that a provider's new enrollments should have.
    func desired(by provider: ProviderID) async throws(PushError) -> DesiredDeviceToken {
        guard core.registry[provider]?.pushServices.isEmpty == false else { return .unspecified }
        return desired(by: provider, of: try await said())
    }

    /// The token of the first service that a provider takes and that the app has a token of.
    private func desired(
        by provider: ProviderID, of said: [DeviceToken.Service: DesiredDeviceToken]
    ) -> DesiredDeviceToken {
        let tokens = (core.registry[provider]?.pushServices ?? []).compactMap { said[$0] }
        return tokens.first { $0.token != nil } ?? tokens.first ?? .unspecified
    }

    /// Whether the vendor of each enrollment that is there has the newest device token; `nil` asks
    /// for all.
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
        let states = zip(heads, try await desired(for: heads)).map { head, desired in
            (head.enrollment.id, state(of: head.shown, desired: desired))
        }
        return Dictionary(states) { $1 }
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

    /// What the app said of each service last, if it said anything. A damaged record counts as if
    /// it hadn't: it is reported, and the app gives its token again.
    private func said() async throws(PushError) -> [DeviceToken.Service: DesiredDeviceToken] {
        let services = DeviceToken.Service.allCases
        let records = try await core.environment.store.read(all: services.map(Self.key))
        var said: [DeviceToken.Service: DesiredDeviceToken] = [:]
        for (service, record) in zip(services, records) {
            do throws(PushError) {
                guard let (value, _) = try record.content.get() else { continue }
                said[service] = .token(
                    try Secret.Record(reading: value).fields.optional(
                        "token", DeviceToken.init(json:)))
            } catch  where error.code == .malformed {
                core.observe(.damaged(.deviceToken), "A device token is damaged: give it again.")
            }
        }
        return said
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
