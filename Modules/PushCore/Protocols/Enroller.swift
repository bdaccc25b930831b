/// Binds the device to accounts at a vendor, and keeps the bindings.
///
/// The core calls every method but ``offer(_:)`` in the enrollment's turn.
/// ``enroll(_:with:deviceToken:)`` has no enrollment yet: the core runs one at a time for each
/// provider.
public protocol Enroller: Sendable {
    /// What an invitation would join. It parses only, and sends nothing.
    ///
    /// - Returns: `nil` if the invitation isn't this vendor's.
    /// - Throws: ``PushError`` with the code `invalidInvitation` if the invitation is this
    ///   vendor's, but can't be used; the reason names the parameter.
    func offer(_ invitation: Invitation) throws(PushError) -> Invitation.Offer?

    /// Enrolls by an offer.
    ///
    /// If the vendor lets a lost reply be recovered, write the record as pending before the first
    /// byte leaves, and keep it if the reply is lost (``PushError/isReplyLost``).
    ///
    /// If the vendor got the device token as well, set ``Enrollment/deviceToken`` in the active
    /// record, so that the core doesn't tell it again.
    ///
    /// - Parameters:
    ///   - offer: What the user agreed to.
    ///   - evidence: The user's proofs, as the offer asked for them.
    ///   - deviceToken: Where the vendor can reach this device; `nil` if the app hasn't given a
    ///     token yet.
    /// - Returns: The enrollment, active or pending.
    /// - Throws: ``PushError`` if the vendor refused or wasn't reached, such as `alreadyEnrolled`,
    ///   `missingDeviceToken`, `verificationFailed`, `server`, `unreachable`, `interrupted` or
    ///   `storage`. No record is left then, except a pending one as above.
    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment

    /// Tells the vendor this device's new token; `nil` removes it.
    ///
    /// - Throws: ``PushError``; `unsupported` if the vendor has no call for it, `unknownEnrollment`
    ///   if it no longer knows the enrollment, whose open challenges the core then closes.
    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError)

    /// Asks the vendor for an enrollment's state, if it has a call for that, and stores the state.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if the vendor doesn't have the
    ///   enrollment, whose open challenges the core then closes; else such as `unreachable`,
    ///   `server`, `untrusted`, `malformed` or `storage`.
    func refresh(_ account: Account) async throws(PushError) -> Enrollment

    /// Ends an enrollment, and deletes its record (``Accounts/delete(_:)``).
    ///
    /// - Parameters:
    ///   - account: The enrollment. One whose record is damaged the core deletes by itself.
    ///   - place: Where it ends.
    /// - Throws: ``PushError`` if the vendor couldn't be told, such as `unreachable`, `server`,
    ///   `blocked` or `cancelled`; `storage` if the record couldn't be deleted. If the record is
    ///   gone nevertheless, the core forgets the challenges, too.
    func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError)

    /// Forgets what the provider keeps of an enrollment beside its record, such as keys in an
    /// engine. The core calls it where it can't lend the enrollment, as the record is damaged, and
    /// deletes the record after it. The default does nothing.
    ///
    /// - Throws: ``PushError`` with the code `storage` if something can't be forgotten.
    func forget(_ enrollment: Enrollment.ID) async throws(PushError)
}

extension Enroller {
    /// Nothing.
    ///
    /// - Throws: Nothing.
    public func forget(_ enrollment: Enrollment.ID) async throws(PushError) {}
}

extension Enrollment {
    /// Where an enrollment ends.
    public enum Removal: Hashable, Sendable {
        /// On this device alone. The vendor isn't told, and may go on sending pushes.
        case device
        /// At the vendor, if it has a call for that, then on this device.
        case everywhere
    }
}
