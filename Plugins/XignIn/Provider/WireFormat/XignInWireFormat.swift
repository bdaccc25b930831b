public import PushCore

/// How a device and a manager talk: what a push looks like, and how activations and processes are
/// called. The seam for the vendor's own engine.
///
/// The vendor's wire is proprietary and unpublished. An adapter over the vendor's engine goes into
/// ``XignIn/Configuration``, or `OpenReferenceWireFormat` of PushXignInReference (OXRW/1), an open
/// format of this project with the documented semantics; records, consent, factors, outcomes and the
/// vendor's names are the same. A format keeps what it needs in the enrollment's record, by
/// ``XignInAccess/update(_:_:)``, and nothing else.
///
/// Every method that asks the manager returns what the manager said, provably: a value or an
/// ``XignInRefusal``. Whatever can't be proved to be the manager's is thrown as `interrupted`, or as
/// `server` with the HTTP status from 500 or 429; a refusal that is the manager's, but that the format
/// doesn't have, as `server` with any status. Nothing has changed then.
public protocol XignInWireFormat: Sendable {
    // MARK: Messages

    /// What has the shape of this format; `nil` for another's. Reads no key and no store.
    func candidate(in message: PushMessage) -> XignInCandidate?

    // MARK: Activations

    /// Reads an activation link. Nothing is sent.
    ///
    /// - Returns: `nil` if the text isn't one of this format.
    /// - Throws: `PushError` with the code `invalidInvitation` if it is one, but can't be used.
    func invitation(
        in text: Secret, allowsPlainHTTP: Bool
    ) throws(PushError) -> XignInInvitation?

    /// Makes the keys of an activation and all that ``activate(_:using:)`` needs. Nothing is sent.
    ///
    /// - Returns: The secret half of the record, which is stored before the first byte leaves. It
    ///   holds neither the PIN nor anything that lets one be tested.
    /// - Throws: `PushError`; nothing is left behind then.
    func record(
        for personalization: XignInPersonalization, using access: XignInAccess
    ) async throws(PushError) -> Secret

    /// Asks the manager for the activation whose record was stored as pending. Asked again after a
    /// lost reply, it brings the same activation. It writes nothing: what it returns is stored
    /// together with the confirmation. An activation that it can't use, it ends at the manager.
    func activate(
        _ enrollment: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInActivation>

    /// Tells the manager a device token; `nil` takes it away.
    ///
    /// - Returns: Whether the manager has a token now.
    func setDeviceToken(
        _ deviceToken: DeviceToken?, of enrollment: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool>

    /// Ends the activation at the manager.
    ///
    /// - Returns: Whether there was one that could be ended.
    func endActivation(
        _ enrollment: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool>

    /// Deletes what the format keeps of an activation outside a record, such as a key that only
    /// biometry unlocks; the record goes next, or was never stored.
    func discard(_ record: Secret, using access: XignInAccess) async

    // MARK: Processes

    /// Fetches what a process is about. It claims nothing, and may be repeated.
    func initialization(
        of announcement: Announcement, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticationInitializationData>

    /// Starts a process: it is this device's from now on. May be repeated.
    func start(
        _ data: AuthenticationInitializationData, of enrollment: Enrollment.ID,
        using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticateRequest>

    /// Makes and signs an answer. Nothing is sent.
    func answer(
        _ decision: XignInDecision, to announcement: Announcement, using access: XignInAccess
    ) async throws(PushError) -> XignInAnswer

    /// Sends an answer, whole or as much of it as was kept. One that was judged before brings the
    /// same verdict.
    func send(
        _ answer: Secret, to announcement: Announcement, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInVerdict>
}
