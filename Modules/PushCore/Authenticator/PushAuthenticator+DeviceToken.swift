extension PushAuthenticator {
    static let tokenKey = RecordKey("device", "token")

    /// Takes this device's newest token, and tells every vendor that has a call for it.
    ///
    /// The token is remembered first, so ``resume()`` tells whoever couldn't be told now.
    ///
    /// - Parameter deviceToken: The token; `nil` if the system took it away.
    /// - Returns: The enrollments whose vendor doesn't have the token yet, and why: `unsupported`
    ///   where the vendor has no call for it.
    /// - Throws: ``PushError`` with the code `invalidArgument` if it isn't a token at all; nothing
    ///   has been remembered then.
    @discardableResult
    public func deviceTokenChanged(
        _ deviceToken: DeviceToken?
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try deviceToken?.check()
        try await turn(.deviceToken) { () async throws(PushError) -> Void in
            try await remember(deviceToken)
        }
        return try await tellDeviceToken()
    }

    /// The newest token the app gave; `nil` if none.
    func desiredDeviceToken() async throws(PushError) -> DeviceToken? {
        guard let (value, _) = try await environment.store.read(Self.tokenKey) else { return nil }
        return try SecretRecord(reading: value).fields.optional("token") {
            (json) throws(PushError) in try DeviceToken(json: json)
        }
    }

    /// Whether each enrollment's vendor has the newest device token.
    public func deviceTokenStates() async throws(PushError) -> [Enrollment.ID: DeviceTokenState] {
        let desired = try await desiredDeviceToken()
        var states: [Enrollment.ID: DeviceTokenState] = [:]
        for enrollment in try await enrollments() {
            if enrollment.has(desired) {
                states[enrollment.id] = .current
            } else {
                let capabilities = registry[enrollment.id.provider]?.capabilities ?? []
                states[enrollment.id] =
                    capabilities.contains(Self.call(for: desired)) ? .waiting : .noCall
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
            let desired = try? await desiredDeviceToken(), !enrollment.has(desired)
        else { return }
        tryAgain(.deviceToken(enrollment.id), after: .zero)
    }

    /// Tells the newest token to every enrollment that lacks it, and again later to whoever
    /// couldn't be told.
    func tellDeviceToken() async throws(PushError) -> [Enrollment.ID: PushError] {
        let desired: DeviceToken?
        do throws(PushError) {
            desired = try await desiredDeviceToken()
        } catch  where error.code == .malformed {
            report(damaged: .deviceToken, "The newest device token is damaged: give it again.")
            return [:]
        }
        let untold = try await enrollments().filter {
            !$0.has(desired) && $0.state != .pending(.unconfirmed)
        }
        let failures = await each(untold.map(\.id)) { id -> (Enrollment.ID, PushError)? in
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
        let desired = try await desiredDeviceToken()
        let known = try await vault.existing(id).enrollment
        guard !known.has(desired) else { return nil }
        // Else a token that changes back would count as known, while the vendor has the other one.
        if !known.isTokenDoubtful, provider.capabilities.contains(Self.call(for: desired)) {
            try await vault.update(id) { $0.enrollment.isTokenDoubtful = true }
        }
        do throws(PushError) {
            try await provider.enroller.update(desired, for: id)
        } catch {
            if error.code == .unknownEnrollment { await closeAll(of: id) }
            // Meanwhile another process may have told a newer one, and cleared the doubt.
            if error.mayHaveArrived, error.code != .unsupported {
                _ = try? await vault.update(id) { $0.enrollment.isTokenDoubtful = true }
            }
            throw error
        }
        return try await vault.update(id) { credential in
            credential.enrollment.deviceToken = desired
            credential.enrollment.isTokenDoubtful = false
            return credential.enrollment
        }
    }

    private func remember(_ deviceToken: DeviceToken?) async throws(PushError) {
        let record = SecretRecord(fields: ["token": deviceToken?.json ?? .null])
        // What was damaged is told apart from nothing by the observer alone: nothing of it is needed.
        if try await environment.store.replace(Self.tokenKey, { _ in record.sealed }) {
            report(damaged: .deviceToken, "A device token was damaged, and is written anew.")
        }
    }
}

extension Enrollment {
    /// Whether the vendor certainly has this token, and no other.
    fileprivate func has(_ deviceToken: DeviceToken?) -> Bool {
        self.deviceToken == deviceToken && !isTokenDoubtful
    }
}
