/// Opens and answers a vendor's challenges. The core calls every method in the enrollment's turn,
/// and lends the enrollment. What a method gives an announcement by ``Announcement/renew(_:)`` is
/// kept with what became of the step, and dropped if the method throws.
public protocol Resolver: Sendable {
    /// Opens an announcement's challenge for the user. It may fetch the challenge, and may claim
    /// it.
    ///
    /// - Throws: ``PushError``, such as `unreachable`, `server`, `untrusted`, `malformed`,
    ///   `unsupported` or `storage`. If the vendor provably said that the challenge is over, set
    ///   ``PushError/ends``: the core closes the challenge for good, whatever the code. After
    ///   `unknownEnrollment` the core closes all open challenges of the enrollment. After any other
    ///   error the challenge stays open.
    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge

    /// Makes the exact bytes of an answer, without sending them: all that takes time, or asks the
    /// vendor. What must be one write with the decision, such as a counter, is signed in
    /// ``Signing``.
    ///
    /// - Throws: ``PushError``: `invalidResolution` if the resolution can't be put in the vendor's
    ///   form, `verificationFailed` if a proof is missing, `blocked`, `unknownEnrollment`, or
    ///   `storage` and `malformed` if a record can't be used. Nothing is recorded then.
    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing

    /// Sends an answer and says what the vendor said.
    ///
    /// | The vendor | Return or throw | The decision |
    /// |---|---|---|
    /// | took it | ``Outcome/delivered``, ``Outcome/code(_:message:)`` | has its last word |
    /// | ended the challenge | the outcome that says why; ``Outcome/ended`` | has its last word |
    /// | refused it for good | ``Outcome/notTaken(_:)`` | has its last word |
    /// | refused it, and asks again | the same, with `mayRetry` | is the user's to make again |
    /// | no longer knows the device | `notTaken`; if `again`, `unknown` | has its last word |
    /// | can't say, now or later | ``Outcome/unknown(_:)`` | has its last word |
    /// | wasn't reached | throw `unreachable` | goes out again, as it was |
    /// | is busy and did nothing, as by 409 | throw `unreachable` | goes out again, as it was |
    /// | may have taken it | throw `interrupted` | goes out again, as a copy |
    /// | is down, or wants a pause | throw `server`, 429 or from 500 | goes out again, as a copy |
    /// | said anything else | throw another code | stays on record; the caller hears why |
    ///
    /// *As it was* is the first, unless an earlier copy may have been taken. The same bytes go out
    /// again, soon and without the user, as far as ``Answer/Kept`` allows, and not before the end
    /// of a pause that the vendor asked for. What stays on record goes out by the next
    /// ``PushAuthenticator/resume()``. Once a copy may have been taken, a refusal opens the
    /// challenge only if the vendor took none (``Outcome/Refusal/appliesToAllCopies``). So say that
    /// a vendor did nothing only if it documents that.
    ///
    /// - Parameters:
    ///   - answer: What ``prepare(_:of:)`` made.
    ///   - announcement: The answered announcement.
    ///   - account: Its enrollment.
    ///   - again: Whether a copy may have reached the vendor before: "already answered" may then
    ///     mean that copy.
    /// - Returns: The vendor's final word. ``Outcome/unknown(_:)`` is final too: the vendor can't
    ///   say more.
    /// - Throws: ``PushError``: `unreachable`, `interrupted`, `server`, as in the table. Any other
    ///   code reaches the caller at once. The decision stays on record in any case.
    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome

    /// What the vendor says about a challenge.
    ///
    /// - Parameters:
    ///   - announcement: Its announcement.
    ///   - account: Its enrollment.
    ///   - kept: What was kept of its answer: the bytes, or a part of them (``Answer/Kept``); `nil`
    ///     if nothing was kept or decided.
    /// - Returns: Whether the challenge is open or over; ``Challenge/Status/unknown`` if the vendor
    ///   can't say.
    /// - Throws: ``PushError``: `unreachable`, `interrupted` or `server` if the vendor couldn't be
    ///   asked: the core asks again later; `unknownEnrollment`, `untrusted` or `malformed`.
    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status

    /// Lists the challenges that wait for an answer, without a push.
    ///
    /// - Parameters:
    ///   - account: The enrollment to ask for.
    ///   - hint: The hint that led to asking, if any.
    /// - Returns: The vendor's list, and whether it is complete.
    /// - Throws: ``PushError``: `unknownEnrollment` if the vendor no longer has the enrollment;
    ///   `unreachable`, `interrupted`, `server`, `untrusted` or `malformed` if the vendor couldn't
    ///   be asked; `listRefused` if it forbids listing: the core asks no more until
    ///   ``PushAuthenticator/refresh(_:)`` or the next start.
    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending
}

extension Resolver {
    /// The vendor can't say.
    ///
    /// - Throws: Nothing.
    public func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        .unknown
    }

    /// The vendor has no list.
    ///
    /// - Throws: Nothing.
    public func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        Pending([], isComplete: false)
    }
}
