/// Binds the device to an account at a vendor, and keeps the binding.
///
/// The core calls every method but ``offer(_:)`` in the enrollment's turn; ``enroll(_:with:deviceToken:)``
/// has no enrollment yet, so the core runs one at a time for each provider.
public protocol Enroller: Sendable {
    /// What an invitation would join. It parses only, and sends nothing.
    ///
    /// - Returns: `nil` if the invitation isn't this vendor's.
    /// - Throws: ``PushError`` with the code `invalidInvitation` if it is, but can't be used; the
    ///   reason names the parameter.
    func offer(_ invitation: Invitation) throws(PushError) -> Offer?

    /// Joins what an offer describes.
    ///
    /// Where the vendor lets a lost reply be recovered, the record is written as pending before the
    /// first byte leaves, and kept if the reply is lost (``PushError/isReplyLost``).
    ///
    /// If this call also told the vendor the device token, set ``Enrollment/deviceToken`` in the
    /// record that becomes active. Then the core doesn't tell it again.
    ///
    /// - Parameters:
    ///   - offer: What the user agreed to.
    ///   - evidence: The user's proofs, as the offer asked for them.
    ///   - deviceToken: Where the vendor can reach this device; `nil` if the app doesn't know yet.
    /// - Returns: The enrollment, active or pending.
    /// - Throws: ``PushError`` if the vendor refused or wasn't reached, such as `alreadyEnrolled`,
    ///   `missingDeviceToken`, `verificationFailed`, `server`, `unreachable`, `interrupted` or
    ///   `storage`. No record is left then, but for a pending one as above.
    func enroll(
        _ offer: Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment

    /// Tells the vendor this device's new token; `nil` takes it away.
    ///
    /// - Throws: ``PushError``; `unsupported` if the vendor has no call for it, `unknownEnrollment` if
    ///   it no longer knows the enrollment: the core then closes all that is open of it.
    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError)

    /// Asks the vendor for an enrollment's state, where there is a call for it, and stores it.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if this device or the vendor
    ///   doesn't have it: the core then closes all that is open of it; else such as `unreachable`,
    ///   `server`, `untrusted`, `malformed` or `storage`.
    func refresh(_ enrollment: Enrollment.ID) async throws(PushError) -> Enrollment

    /// Ends an enrollment.
    ///
    /// - Parameters:
    ///   - enrollment: The enrollment.
    ///   - place: Where it ends.
    /// - Throws: ``PushError`` if the vendor was to be told, and wasn't: such as `unreachable`,
    ///   `server`, `blocked` or `cancelled`; `storage` if the record couldn't be deleted. If the
    ///   credential is gone all the same, the core forgets the challenges, too.
    func remove(_ enrollment: Enrollment.ID, from place: Removal) async throws(PushError)
}

/// Where an enrollment is ended.
public enum Removal: Hashable, Sendable {
    /// On this device alone: the vendor isn't told, and may go on sending pushes.
    case device
    /// At the vendor, where there is a call for it, then on this device.
    case everywhere
}
