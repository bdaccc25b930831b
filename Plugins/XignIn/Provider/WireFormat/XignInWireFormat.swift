public import PushCore

/// How a device and a manager talk: how a push looks, and how activations and processes are called.
/// It is the seam for the vendor's own engine.
///
/// The vendor's wire isn't published. An adapter over the vendor's engine goes into
/// ``XignInConfiguration``, or in tests `OpenReferenceWireFormat` of PushXignInReference (OXRW/1), an
/// open format of this project. Records, consent, factors, outcomes and the vendor's names are the
/// same with each. A format keeps what it needs in the enrollment's record, by
/// ``XignInAccess/change(_:_:)``, and nowhere else.
///
/// Each method that asks the manager returns an answer that the manager provably gave: a value, or an
/// ``XignInRefusal``. It throws `PushError` with one of these codes if there is no such answer, and
/// nothing has changed then:
///
/// - `unreachable` if nothing reached the manager.
/// - `interrupted` if the answer is missing, or can't be proved to be the manager's.
/// - `server` with the HTTP status if that is 429 or at least 500. With any status if the refusal is
///   the manager's, but the format doesn't have it.
/// - `unknownEnrollment` if the manager hasn't confirmed the activation, `malformed` if its record
///   can't be read, `storage` if that can't be changed.
public protocol XignInWireFormat: Sendable {
    /// Whether an activation can have a key that biometry unlocks; `false` unless the format says so.
    var takesBiometry: Bool { get }

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
    ///   holds neither the PIN nor anything that lets one be tested, and nothing of what biometry is
    ///   to unlock.
    /// - Throws: `PushError` with the code `invalidInvitation` if the link can't be used,
    ///   `invalidArgument` if the device token is of a service that managers don't use,
    ///   `verificationFailed` if what biometry unlocks makes no key. Nothing is left behind then.
    func record(
        for personalization: XignInPersonalization, using access: XignInAccess
    ) async throws(PushError) -> Secret

    /// Asks the manager for the activation whose record was stored as pending. Asked again after a
    /// lost reply, it brings the same activation. It writes nothing: what it returns is stored
    /// together with the confirmation. An activation that it can't use, it ends at the manager.
    ///
    /// - Throws: `PushError` as ``XignInWireFormat`` says; `unsupported` if the manager chose a version
    ///   that this app doesn't speak.
    func activate(
        _ account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInActivation>

    /// Tells the manager a device token; `nil` takes it away.
    ///
    /// - Returns: Whether the manager has a token now.
    /// - Throws: `PushError` as ``XignInWireFormat`` says; `invalidArgument` if the token is of a
    ///   service that managers don't use.
    func setDeviceToken(
        _ deviceToken: DeviceToken?, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool>

    /// Ends the activation at the manager.
    ///
    /// - Returns: Whether there was one that could be ended.
    /// - Throws: `PushError` as ``XignInWireFormat`` says.
    func endActivation(
        _ account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool>

    /// Deletes what the format keeps of an activation outside a record, such as in an engine's store;
    /// the record goes next, or was never stored.
    func discard(_ record: Secret, using access: XignInAccess) async

    // MARK: Processes

    /// Fetches what a process is about. It claims nothing, and may be repeated.
    ///
    /// - Throws: `PushError` as ``XignInWireFormat`` says; `unsupported` if the manager chose a version
    ///   that this app doesn't speak.
    func initialization(
        for announcement: Announcement, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticationInitializationData>

    /// Starts a process: it is this device's from now on. May be repeated.
    ///
    /// - Throws: `PushError` as ``XignInWireFormat`` says; `untrusted` if a part of the question
    ///   contradicts another.
    func start(
        _ data: AuthenticationInitializationData, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticateRequest>

    /// Makes and signs an answer. Nothing is sent.
    ///
    /// - Throws: `PushError` with the code `verificationFailed` if a factor is missing that the answer
    ///   takes, `guardLost` if biometry unlocks another secret than the activation was made with,
    ///   `unknownEnrollment` or `malformed` as ``XignInWireFormat`` says.
    func answer(
        _ decision: XignInDecision, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) async throws(PushError) -> XignInAnswer

    /// Sends an answer, whole or as much of it as was kept. One that was judged before brings the
    /// same verdict.
    ///
    /// - Throws: `PushError` as ``XignInWireFormat`` says.
    func send(
        _ answer: Secret, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInVerdict>
}

extension XignInWireFormat {
    /// `false`.
    public var takesBiometry: Bool { false }
}
