/// Seals the part of an enrollment's credential that only an answer needs, so that the store alone
/// signs nothing: behind a finger, a passphrase, or a key that is elsewhere.
///
/// The core opens it for the one step that needs it, and keeps nothing of it afterwards. What is
/// sealed is kept in the enrollment's record, so it goes with that.
public protocol KeyGuard: Sendable {
    /// Seals secrets. It may ask for a new passphrase, and for nothing else.
    ///
    /// - Parameters:
    ///   - part: What is sealed, up to 16 kB.
    ///   - policy: What opens it from now on.
    /// - Returns: What is stored: nobody reads the part in it, nor changes it without being noticed, and
    ///   no other part has the same bytes.
    /// - Throws: ``PushError`` with the code `unsupported` if this device can't keep to the policy,
    ///   `cancelled` if the user gave up, `storage` if the guard can't be used.
    func seal(_ part: Secret, under policy: GuardPolicy) async throws(PushError) -> Secret

    /// Opens what was sealed, and so verifies the user as its policy says. It asks once for all.
    ///
    /// - Parameters:
    ///   - sealed: What ``seal(_:under:)`` returned, of each enrollment.
    ///   - purpose: What the user is asked for.
    ///   - title: The prompt's text, if the caller gave one.
    /// - Returns: The parts, in the same order.
    /// - Throws: ``PushError`` with the code `cancelled` if the user gave up, `verificationFailed` if
    ///   the check failed, `locked` if nobody can be asked now, `guardLost` if nothing opens it any
    ///   more, such as after a change of the fingers, `storage` if the guard can't be used.
    func open(
        _ sealed: [Secret], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [Secret]

    /// Forgets what it keeps elsewhere of something sealed, which is of no use any more.
    func discard(_ sealed: Secret) async
}
