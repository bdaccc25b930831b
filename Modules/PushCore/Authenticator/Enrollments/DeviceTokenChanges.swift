/// Whether an enrollment's vendor has the newest device token.
@nonexhaustive
public enum DeviceTokenState: Hashable, Sendable {
    /// The vendor has acknowledged it.
    case current
    /// It hasn't been told yet; that is tried again until it works.
    case waiting
    /// The vendor has no call for it: enroll again to change it.
    case unsupported
}

/// The device's tokens, by which vendors reach it.
extension PushAuthenticator {
    /// Takes this device's newest token of one push service, and tells it to every vendor that
    /// should have it. An enrollment gets the token of the service that its provider prefers
    /// (``PushProvider/pushServices``), unless it was given a token of its own.
    ///
    /// The token is remembered first, so ``resume()`` tells the vendors that couldn't be told now.
    ///
    /// - Parameter deviceToken: The token. Those of other services stay.
    /// - Returns: The enrollments whose vendor doesn't have its token yet, and why: `unsupported`
    ///   where the vendor has no call for it.
    /// - Throws: ``PushError`` with the code `invalidArgument` if it isn't a token at all,
    ///   `storage` if it couldn't be remembered, or if the enrollments to tell couldn't be listed.
    ///   Give it again then, or call ``resume()``.
    @discardableResult
    public func deviceTokenChanged(
        _ deviceToken: DeviceToken
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try deviceToken.check()
        try await tokens.remember(deviceToken, of: deviceToken.service)
        return try await turns.tellDeviceToken()
    }

    /// Takes note that this device has no token of a push service any more, and tells every vendor
    /// that had it.
    ///
    /// - Returns: As ``deviceTokenChanged(_:)``.
    /// - Throws: ``PushError`` with the code `storage`, as ``deviceTokenChanged(_:)``.
    @discardableResult
    public func deviceTokenRemoved(
        of service: PushService
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await tokens.remember(nil, of: service)
        return try await turns.tellDeviceToken()
    }

    /// Gives one enrollment a token of its own, and tells its vendor. From then on the enrollment
    /// doesn't follow ``deviceTokenChanged(_:)``.
    ///
    /// It's for a process whose many accounts have a token each, and for a vendor that documents
    /// one token for each account.
    ///
    /// - Parameters:
    ///   - deviceToken: The token, of a service that its provider takes; `nil` if it has none.
    ///   - id: The enrollment.
    /// - Throws: ``PushError`` with the code `unknownEnrollment`, `invalidArgument` if it isn't a
    ///   token of a service that the provider takes, or `storage`; nothing has changed then. Any
    ///   other code says why the vendor doesn't have the token yet: it is remembered and told
    ///   later, except after `unsupported`, such as where ``Enrollment/takesDeviceToken`` is `false`.
    public func deviceTokenChanged(
        _ deviceToken: DeviceToken?, for id: Enrollment.ID
    ) async throws(PushError) {
        try await tokens.remember(deviceToken, for: id)
        try await turns.tellDeviceToken(to: id)
    }

    /// Lets an enrollment that was given a token of its own follow the device's tokens again.
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
    ) async throws(PushError) -> DeviceTokenState {
        try await tokens.state(of: id)
    }

    /// Whether each enrollment's vendor has the newest device token.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func deviceTokenStates() async throws(PushError) -> [Enrollment.ID: DeviceTokenState] {
        try await tokens.states()
    }

    /// The same for enrollments that were read already, by few trips to the store.
    ///
    /// - Parameter enrollments: Some of what ``enrollments()`` returned.
    /// - Returns: Whether each vendor has the newest device token.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func deviceTokenStates(
        of enrollments: [Enrollment]
    ) async throws(PushError) -> [Enrollment.ID: DeviceTokenState] {
        try await tokens.states(of: enrollments)
    }
}
