public import PushCore
extension OpenReferenceWireFormat {
    public func message(from message: PushMessage, using access: XignInAccess) async throws(PushError) -> XignInMessage { throw todo }
    public func invitation(in text: Secret, allowsPlainHTTP: Bool) throws(PushError) -> XignInInvitation? { throw todo }
    public func record(for personalization: XignInPersonalization, using access: XignInAccess) async throws(PushError) -> Secret { throw todo }
    public func activate(_ enrollment: Enrollment.ID, using access: XignInAccess) async throws(PushError) -> XignInReply<XignInActivation> { throw todo }
    public func setDeviceToken(_ deviceToken: DeviceToken?, of enrollment: Enrollment.ID, using access: XignInAccess) async throws(PushError) -> XignInReply<Bool> { throw todo }
    public func endActivation(_ enrollment: Enrollment.ID, using access: XignInAccess) async throws(PushError) -> XignInReply<Bool> { throw todo }
    public func initialization(of announcement: Announcement, using access: XignInAccess) async throws(PushError) -> XignInReply<AuthenticationInitializationData> { throw todo }
    public func start(_ data: AuthenticationInitializationData, of enrollment: Enrollment.ID, using access: XignInAccess) async throws(PushError) -> XignInReply<AuthenticateRequest> { throw todo }
    public func answer(_ decision: XignInDecision, to announcement: Announcement, using access: XignInAccess) async throws(PushError) -> XignInAnswer { throw todo }
    public func send(_ answer: Secret, to announcement: Announcement, using access: XignInAccess) async throws(PushError) -> XignInReply<XignInVerdict> { throw todo }
    var todo: PushError { PushError(.unsupported, "Not written yet.") }
}
