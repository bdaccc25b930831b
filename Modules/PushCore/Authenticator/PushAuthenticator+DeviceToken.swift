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

    /// Tells the newest token to every enrollment that lacks it.
    func tellDeviceToken() async throws(PushError) -> [Enrollment.ID: PushError] {
        let desired = try await desiredDeviceToken()
        var failures: [Enrollment.ID: PushError] = [:]
        for enrollment in try await enrollments()
        where enrollment.deviceToken != desired && enrollment.state != .pending(.unconfirmed) {
            do throws(PushError) {
                try await tellDeviceToken(to: enrollment.id)
            } catch {
                failures[enrollment.id] = error.of(enrollment.id.provider)
            }
        }
        return failures
    }

    private func tellDeviceToken(to id: Enrollment.ID) async throws(PushError) {
        let provider = try provider(id.provider)
        let vault = environment.vault(for: id.provider)
        let changed = try await turn(of: id) { () async throws(PushError) -> Enrollment? in
            // Read in the turn: a newer token may have come, and been told, meanwhile.
            let desired = try await desiredDeviceToken()
            guard try await vault.existing(id).enrollment.deviceToken != desired else { return nil }
            try await provider.enroller.update(desired, for: id)
            return try await vault.update(id) { credential in
                credential.enrollment.deviceToken = desired
                return credential.enrollment
            }
        }
        if let changed { publish(.enrollment(changed)) }
    }

    private func remember(_ deviceToken: DeviceToken?) async throws(PushError) {
        let record = SecretRecord(fields: ["token": deviceToken?.json ?? .null])
        while true {
            let revision = try await environment.store.read(Self.tokenKey)?.revision
            do throws(PushError) {
                try await environment.store.write(
                    record.sealed, for: Self.tokenKey, replacing: revision)
                return
            } catch  where error.code == .conflict {
                continue
            }
        }
    }
}
