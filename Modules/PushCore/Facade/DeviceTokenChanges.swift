/// The device's tokens, by which vendors reach it.
extension PushAuthenticator {
    /// Takes this device's newest token of one push service, and tells it to every vendor that
    /// needs it. An enrollment gets the token of the service that its provider prefers
    /// (``PushProvider/pushServices``), unless the app gave it a token of its own.
    ///
    /// The token is remembered first, so ``resume()`` tells the vendors that can't be told now.
    ///
    /// - Parameter deviceToken: The token. Other services' tokens stay.
    /// - Returns: The enrollments whose vendor lacks its token, with the error: `unsupported` if
    ///   the vendor has no call for it.
    /// - Throws: ``PushError`` with the code `invalidArgument` if no service gives such a token,
    ///   `storage` if the token couldn't be remembered or the enrollments couldn't be listed. Then
    ///   give it again, or call ``resume()``.
    @discardableResult
    public func deviceTokenChanged(
        _ deviceToken: DeviceToken
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try deviceToken.check()
        try await tokens.remember(deviceToken, of: deviceToken.service)
        return try await turns.tellDeviceToken()
    }

    /// Notes that this device has no token of a push service any more, and tells every vendor that
    /// had it.
    ///
    /// - Returns: As ``deviceTokenChanged(_:)``.
    /// - Throws: ``PushError`` with the code `storage`, as ``deviceTokenChanged(_:)``.
    @discardableResult
    public func deviceTokenRemoved(
        of service: DeviceToken.Service
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await tokens.remember(nil, of: service)
        return try await turns.tellDeviceToken()
    }

    /// Gives one enrollment a token of its own, and tells its vendor. From then on the enrollment
    /// doesn't follow ``deviceTokenChanged(_:)``.
    ///
    /// It is for a process whose accounts each have a token, and for a vendor that documents one
    /// token for each account.
    ///
    /// - Parameters:
    ///   - deviceToken: A token of a service that the enrollment's provider takes; `nil` for none.
    ///   - id: The enrollment.
    /// - Throws: ``PushError`` with the code `unknownEnrollment`, `invalidArgument` if the provider
    ///   doesn't take the token's service, or `storage`; nothing has changed then. With any other
    ///   code the token is remembered, and the vendor is told later, except after `unsupported`,
    ///   such as where ``Enrollment/takesDeviceToken`` is `false`.
    public func deviceTokenChanged(
        _ deviceToken: DeviceToken?, for id: Enrollment.ID
    ) async throws(PushError) {
        try await tokens.remember(deviceToken, for: id)
        try await turns.tellDeviceToken(to: id)
    }

    /// Lets an enrollment with a token of its own follow the device's tokens again.
    ///
    /// - Throws: ``PushError`` with the codes of ``deviceTokenChanged(_:for:)``.
    public func useSharedDeviceToken(for id: Enrollment.ID) async throws(PushError) {
        try await tokens.followDevice(id)
        try await turns.tellDeviceToken(to: id)
    }

    /// Whether an enrollment's vendor has the newest device token. No other enrollment is read.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if there is no such enrollment,
    ///   `malformed` if its record is damaged, `storage` if the store can't tell.
    public func deviceTokenState(
        of id: Enrollment.ID
    ) async throws(PushError) -> DeviceToken.State {
        try await tokens.state(of: id)
    }

    /// Whether each enrollment's vendor has the newest device token.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func deviceTokenStates() async throws(PushError) -> [Enrollment.ID: DeviceToken.State] {
        try await tokens.states()
    }

    /// Whether the vendor of each of some enrollments has the newest device token.
    ///
    /// - Parameter enrollments: Some of what ``enrollments()`` returned.
    /// - Returns: Whether each vendor has the newest device token.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func deviceTokenStates(
        of enrollments: [Enrollment]
    ) async throws(PushError) -> [Enrollment.ID: DeviceToken.State] {
        try await tokens.states(of: enrollments.map(\.id))
    }
}
