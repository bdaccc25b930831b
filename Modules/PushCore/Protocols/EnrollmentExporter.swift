/// Says what of a provider's enrollments is exportable, and reads what another device exported.
///
/// The core does the rest: it marks what moves as moved before anybody gets it, refuses to use what
/// is marked, and writes what is imported. An exporter sends nothing, and reads the store only for
/// ``claim(of:)``. <doc:WritingAPlugin> shows one.
public protocol EnrollmentExporter: Sendable {
    /// What of an enrollment is exportable. It may be called more than once.
    ///
    /// Nothing that is bound to this device is exportable, above all a private key that was made
    /// here, by which the vendor knows the device. A secret that the vendor gave may move. If two
    /// devices can use it at once and nobody can tell, such as the secret of codes by time, it may
    /// be copied.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the credential is damaged.
    func exportability(of credential: Credential) throws(PushError) -> Exportability

    /// Makes a credential of another device's export. Judge the content as strictly as anything
    /// untrusted: whoever knows the password can write one. It may be called more than once.
    ///
    /// - Parameters:
    ///   - content: What ``exportability(of:)`` gave on the other device, perhaps of another
    ///     version.
    ///   - enrollment: The public half as it was there, without a device token: the vendor is told
    ///     this device's own. Set what the content says better, such as the host, from the content.
    ///   - known: This device's credential of the same enrollment, in use here or moved away.
    ///     The new credential's counter mustn't be behind the one in it.
    /// - Returns: The credential. The core drops it if the enrollment is in use here already.
    /// - Throws: ``PushError`` with the code `malformed` if the content isn't right, `unsupported`
    ///   if it needs a newer version, `conflict` if `known` is another enrollment of the same name,
    ///   or a refusal that an invitation would meet, such as `invalidInvitation` for a host.
    func credential(
        from content: Secret.Record, for enrollment: Enrollment, known: Credential?
    ) throws(PushError) -> Credential

    /// The claim that only one enrollment may have, such as an account
    /// (``Accounts/create(_:_:claiming:)``); `nil`, the default, for none. It may read the
    /// provider's accounts.
    ///
    /// - Throws: ``PushError`` with the code `alreadyEnrolled` if another enrollment has the claim,
    ///   `storage` if the store can't tell.
    func claim(of credential: Credential) async throws(PushError) -> String?
}

extension EnrollmentExporter {
    /// Nothing.
    ///
    /// - Throws: Nothing.
    public func claim(of credential: Credential) async throws(PushError) -> String? { nil }
}

/// What of an enrollment is exportable.
@nonexhaustive
public enum Exportability: Sendable {
    /// A copy: this device goes on with it.
    case copies(Secret.Record)
    /// The enrollment itself, which lives on one device: this device can't use it afterwards.
    case moves(Secret.Record)
    /// Nothing, with the reason: a sentence for the user's screen, in English, without a secret.
    case notExportable(String)
}

/// The exporter of a vendor whose enrollments are each bound to one device.
public struct NotExportable: EnrollmentExporter {
    /// Why nothing is exportable: a sentence.
    public let reason: String

    /// Creates an exporter that exports nothing.
    ///
    /// - Parameter reason: Why: a sentence.
    public init(_ reason: String) {
        self.reason = reason
    }

    /// Nothing.
    ///
    /// - Throws: Nothing.
    public func exportability(of credential: Credential) throws(PushError) -> Exportability {
        .notExportable(reason)
    }

    /// Takes nothing.
    ///
    /// - Throws: ``PushError`` with the code `unsupported`.
    public func credential(
        from content: Secret.Record, for enrollment: Enrollment, known: Credential?
    ) throws(PushError) -> Credential {
        throw PushError(.unsupported, "The vendor's enrollments can't be moved.")
    }
}
