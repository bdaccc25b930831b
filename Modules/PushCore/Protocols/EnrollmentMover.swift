/// Says what of a provider's enrollments may leave this device, and takes what left another one.
///
/// The core does the rest: it marks what moves as moved before anybody gets it, refuses to use what is
/// marked, and writes what arrives. A mover reads no store but for ``claim(of:)``, and sends nothing.
/// <doc:WritingAPlugin> shows one.
public protocol EnrollmentMover: Sendable {
    /// What of an enrollment may leave this device. It may be called more than once.
    ///
    /// What is bound to this device stays: above all a private key that was made here, by which the
    /// vendor knows this device. A secret that the vendor gave may move. It may be copied if two
    /// devices can use it at once and nobody can tell, such as the secret of codes by time.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the credential is damaged.
    func portability(of credential: Credential) throws(PushError) -> Portability

    /// The credential that content from another device makes here. It is judged as strictly as anything
    /// untrusted: whoever knows the password can write an export. It may be called more than once.
    ///
    /// - Parameters:
    ///   - content: What ``portability(of:)`` gave on the other device, perhaps in another version.
    ///   - enrollment: The public half as it was there. What the content says better, such as the host,
    ///     is set from the content. It has no device token: the vendor is told this device's own.
    ///   - known: What this device has of the same enrollment: it is in use here, or was moved away.
    ///     A counter doesn't fall behind the one in it.
    /// - Returns: The credential. If it is in use here already, nothing is made of it.
    /// - Throws: ``PushError`` with the code `malformed` if the content isn't right, `unsupported` if it
    ///   needs a newer version, `conflict` if `known` is another enrollment of the same name, or a
    ///   refusal that an invitation would meet, such as `invalidInvitation` for a host.
    func credential(
        from content: SecretRecord, for enrollment: Enrollment, known: Credential?
    ) throws(PushError) -> Credential

    /// What of this provider's only one enrollment may have (``Vault/create(_:claiming:)``); `nil` for
    /// nothing, which is the default. It may look into the provider's vault.
    ///
    /// - Throws: ``PushError`` with the code `alreadyEnrolled` if another enrollment has it, `storage`
    ///   if the store can't tell.
    func claim(of credential: Credential) async throws(PushError) -> String?
}

extension EnrollmentMover {
    /// Nothing.
    ///
    /// - Throws: Nothing.
    public func claim(of credential: Credential) async throws(PushError) -> String? { nil }
}

/// What of an enrollment may leave a device.
@nonexhaustive
public enum Portability: Sendable {
    /// A copy: this device goes on with it.
    case copies(SecretRecord)
    /// The enrollment itself, which lives on one device: it is of no use here afterwards.
    case moves(SecretRecord)
    /// Nothing, and this is why: a sentence for the user's screen, in English, without a secret.
    case stays(String)
}

/// A mover of a vendor whose enrollments are each bound to one device.
public struct DeviceBound: EnrollmentMover {
    /// Why nothing may leave: a sentence.
    public let reason: String

    /// Creates a mover that lets nothing leave.
    ///
    /// - Parameter reason: Why: a sentence.
    public init(_ reason: String) {
        self.reason = reason
    }

    /// Nothing.
    ///
    /// - Throws: Nothing.
    public func portability(of credential: Credential) throws(PushError) -> Portability {
        .stays(reason)
    }

    /// Takes nothing.
    ///
    /// - Throws: ``PushError`` with the code `unsupported`.
    public func credential(
        from content: SecretRecord, for enrollment: Enrollment, known: Credential?
    ) throws(PushError) -> Credential {
        throw PushError(.unsupported, "The vendor's enrollments can't be moved.")
    }
}
