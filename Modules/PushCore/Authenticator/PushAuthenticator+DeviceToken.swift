extension PushAuthenticator {
    static let tokenCollection = "device"
    static let ownTokenCollection = "device/enrollment"

    /// Takes this device's newest token of one push service, and tells every vendor that should have
    /// it: an enrollment gets the token of the service that its provider prefers
    /// (``PushProvider/pushServices``), unless it was given one of its own.
    ///
    /// The token is remembered first, so ``resume()`` tells whoever couldn't be told now.
    ///
    /// - Parameter deviceToken: The token. Those of other services stay.
    /// - Returns: The enrollments whose vendor doesn't have its token yet, and why: `unsupported`
    ///   where the vendor has no call for it.
    /// - Throws: ``PushError`` with the code `invalidArgument` if it isn't a token at all, `storage`
    ///   if it couldn't be remembered, or whom to tell couldn't be found out: give it again, or call
    ///   ``resume()``.
    @discardableResult
    public func deviceTokenChanged(
        _ deviceToken: DeviceToken
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try deviceToken.check()
        return try await deviceTokenChanged(deviceToken, of: deviceToken.service)
    }

    /// Takes note that this device has no token of a push service any more, and tells every vendor
    /// that had it.
    ///
    /// - Returns: As ``deviceTokenChanged(_:)``.
    /// - Throws: ``PushError``, as ``deviceTokenChanged(_:)``.
    @discardableResult
    public func deviceTokenRemoved(
        of service: PushService
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await deviceTokenChanged(nil, of: service)
    }

    private func deviceTokenChanged(
        _ deviceToken: DeviceToken?, of service: PushService
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await turn(.deviceToken) { () async throws(PushError) -> Void in
            try await remember(deviceToken, under: Self.tokenKey(service))
        }
        return try await tellDeviceToken()
    }

    /// Gives one enrollment a token of its own, and tells its vendor. What
    /// ``deviceTokenChanged(_:)`` brings doesn't reach it from then on.
    ///
    /// It's for a process that holds many accounts, each reached by a token of its own, and for a
    /// vendor whose documentation gives each account its own token.
    ///
    /// - Parameters:
    ///   - deviceToken: The token, of a service that its provider takes; `nil` if it has none.
    ///   - id: The enrollment.
    /// - Throws: ``PushError``: `unknownEnrollment`, `invalidArgument` if it isn't a token of a
    ///   service that the provider takes, `storage`; nothing has changed then. Else why the vendor
    ///   doesn't have it yet: it is remembered and told later, but for `unsupported`.
    public func deviceTokenChanged(
        _ deviceToken: DeviceToken?, for id: Enrollment.ID
    ) async throws(PushError) {
        let services = try provider(id.provider).pushServices
        if let deviceToken {
            try deviceToken.check()
            guard services.contains(deviceToken.service) else {
                throw PushError(
                    .invalidArgument, "The provider takes no tokens of this push service.",
                    provider: id.provider)
            }
        }
        _ = try await environment.vault(for: id.provider).existing(id)
        try await turn(.deviceToken) { () async throws(PushError) -> Void in
            try await remember(deviceToken, under: RecordKey(Self.ownTokenCollection, id))
            // It may have been removed meanwhile: what is left would be its successor's.
            do throws(PushError) {
                _ = try await environment.vault(for: id.provider).existing(id)
            } catch {
                if error.code == .unknownEnrollment { try await forgetDeviceToken(of: id) }
                throw error
            }
        }
        try await tellDeviceToken(to: id)
    }

    /// Lets an enrollment that was given a token of its own follow the device's tokens again.
    ///
    /// - Throws: ``PushError``, as ``deviceTokenChanged(_:for:)``.
    public func deviceTokenFollowsDevice(for id: Enrollment.ID) async throws(PushError) {
        try await turn(.deviceToken) { () async throws(PushError) -> Void in
            try await forgetDeviceToken(of: id)
        }
        try await tellDeviceToken(to: id)
    }

    func forgetDeviceToken(of id: Enrollment.ID) async throws(PushError) {
        try await environment.store.delete(RecordKey(Self.ownTokenCollection, id))
    }

    /// The newest token that the app gave of each service. A record that is damaged counts as if the
    /// app had said nothing: it is reported, and the app gives its token again.
    func deviceTokens() async throws(PushError) -> DeviceTokens {
        var tokens = DeviceTokens()
        for service in PushService.allCases {
            if case .token(let token) = try await said(under: Self.tokenKey(service)) {
                tokens.set(token, of: service)
            }
        }
        return tokens
    }

    /// The token that an enrollment's vendor should have.
    ///
    /// - Parameters:
    ///   - id: The enrollment.
    ///   - tokens: The device's, if they were read already.
    func desiredDeviceToken(
        for id: Enrollment.ID, among tokens: DeviceTokens? = nil
    ) async throws(PushError) -> DesiredDeviceToken {
        let own = try await said(under: RecordKey(Self.ownTokenCollection, id))
        guard own == .unsaid else { return own }
        return try await desiredDeviceToken(by: id.provider, among: tokens)
    }

    /// The token that a provider's new enrollments should have.
    func desiredDeviceToken(
        by provider: ProviderID, among tokens: DeviceTokens? = nil
    ) async throws(PushError) -> DesiredDeviceToken {
        guard let services = registry[provider]?.pushServices, !services.isEmpty else {
            return .unsaid
        }
        if let tokens { return tokens.desired(by: services) }
        return try await deviceTokens().desired(by: services)
    }

    private func said(under key: RecordKey) async throws(PushError) -> DesiredDeviceToken {
        do throws(PushError) {
            guard let (value, _) = try await environment.store.read(key) else { return .unsaid }
            return .token(
                try SecretRecord(reading: value).fields.optional("token") {
                    (json) throws(PushError) in try DeviceToken(json: json)
                })
        } catch  where error.code == .malformed {
            report(damaged: .deviceToken, "A device token is damaged: give it again.")
            return .unsaid
        }
    }

    private static func tokenKey(_ service: PushService) -> RecordKey {
        RecordKey(tokenCollection, service.rawValue)
    }

    /// Whether each enrollment's vendor has the newest device token.
    public func deviceTokenStates() async throws(PushError) -> [Enrollment.ID: DeviceTokenState] {
        let tokens = try await deviceTokens()
        var states: [Enrollment.ID: DeviceTokenState] = [:]
        for enrollment in try await enrollments() {
            let desired = try await desiredDeviceToken(for: enrollment.id, among: tokens)
            if enrollment.has(desired) {
                states[enrollment.id] = .current
            } else {
                let capabilities = registry[enrollment.id.provider]?.capabilities ?? []
                states[enrollment.id] =
                    capabilities.contains(Self.call(for: desired.token)) ? .waiting : .noCall
            }
        }
        return states
    }

    private static func call(for deviceToken: DeviceToken?) -> Capabilities {
        deviceToken == nil ? .tokenRemoval : .tokenUpdate
    }

    /// Tells an enrollment the newest token in the background, if it changed while its own exchange
    /// was on the way.
    func checkDeviceToken(of enrollment: Enrollment) async {
        let provider = enrollment.id.provider
        guard registry[provider]?.capabilities.contains(.tokenUpdate) == true,
            enrollment.state != .pending(.unconfirmed),
            let desired = try? await desiredDeviceToken(for: enrollment.id),
            !enrollment.has(desired)
        else { return }
        tryAgain(.deviceToken(enrollment.id), after: .zero)
    }

    /// Tells the newest token to every enrollment that lacks it, and again later to whoever
    /// couldn't be told.
    func tellDeviceToken() async throws(PushError) -> [Enrollment.ID: PushError] {
        let tokens = try await deviceTokens()
        var untold: [Enrollment.ID] = []
        for enrollment in try await enrollments() where enrollment.state != .pending(.unconfirmed) {
            let desired = try await desiredDeviceToken(for: enrollment.id, among: tokens)
            if !enrollment.has(desired) { untold.append(enrollment.id) }
        }
        let failures = await each(untold) { id -> (Enrollment.ID, PushError)? in
            do throws(PushError) {
                try await self.tellDeviceToken(to: id)
                return nil
            } catch {
                return (id, error.of(id.provider))
            }
        }
        return Dictionary(failures.compactMap(\.self)) { $1 }
    }

    func tellDeviceToken(to id: Enrollment.ID) async throws(PushError) {
        // Not a failure, so it isn't counted as one.
        if let pause = await pause(of: id) {
            tryAgain(.deviceToken(id), after: pause)
            throw PushError(
                .unreachable, "The server asked not to be asked yet.", provider: id.provider)
        }
        do throws(PushError) {
            if let changed = try await turn(
                of: id,
                { () async throws(PushError) in
                    try await tellDeviceTokenNow(to: id)
                })
            {
                publish(.enrollment(changed))
            }
            forget(.deviceToken(id))
        } catch {
            if error.maySendAgain || error.isPassing { await tryAgain(id) }
            throw error
        }
    }

    private func tellDeviceTokenNow(
        to id: Enrollment.ID
    ) async throws(PushError) -> Enrollment? {
        let provider = try provider(id.provider)
        let vault = environment.vault(for: id.provider)
        // Read in the turn: a newer token may have come, and been told, meanwhile.
        let desired = try await desiredDeviceToken(for: id)
        let known = try await vault.existing(id).enrollment
        // Half an enrollment is told once it is confirmed.
        guard known.state != .pending(.unconfirmed) else { return nil }
        guard case .token(let token) = desired, !known.has(desired) else { return nil }
        // Else a token that changes back would count as known, while the vendor has the other one.
        if !known.isTokenDoubtful, provider.capabilities.contains(Self.call(for: token)) {
            try await vault.update(id) { $0.enrollment.isTokenDoubtful = true }
        }
        do throws(PushError) {
            try await provider.enroller.update(token, for: id)
        } catch {
            if error.code == .unknownEnrollment { await closeAll(of: id) }
            // Meanwhile another process may have told a newer one, and cleared the doubt.
            if error.mayHaveArrived, error.code != .unsupported {
                _ = try? await vault.update(id) { $0.enrollment.isTokenDoubtful = true }
            }
            throw error
        }
        return try await vault.update(id) { credential in
            credential.enrollment.deviceToken = token
            credential.enrollment.isTokenDoubtful = false
            return credential.enrollment
        }
    }

    private func remember(
        _ deviceToken: DeviceToken?, under key: RecordKey
    ) async throws(PushError) {
        let record = SecretRecord(fields: ["token": deviceToken?.json ?? .null])
        // What was damaged is told apart from nothing by the observer alone: nothing of it is needed.
        if try await environment.store.replace(key, { _ in record.sealed }).wasDamaged {
            report(damaged: .deviceToken, "A device token was damaged, and was written again.")
        }
    }
}
