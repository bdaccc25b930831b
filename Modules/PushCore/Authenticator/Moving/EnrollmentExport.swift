/// What leaves a device, and what became of each enrollment that was to.
public struct EnrollmentExport: Sendable {
    /// What leaves: the content of a file, to be sealed under a password before it goes anywhere. It is
    /// there only once everything in it that moves is marked as moved, durably.
    public let content: Secret

    /// One for each enrollment that was to leave.
    public let entries: [Entry]

    /// One enrollment.
    public struct Entry: Sendable {
        /// The enrollment, by its state before.
        public let enrollment: Enrollment

        /// What became of it.
        public let result: Result

        init(_ enrollment: Enrollment, _ result: Result) {
            self.enrollment = enrollment
            self.result = result
        }
    }

    /// What became of an enrollment that was to leave, or would.
    @nonexhaustive
    public enum Result: Sendable {
        /// It is in the content, and goes on here.
        case copied
        /// It is in the content, and is of no use here any more. Also of one that was moved before: it
        /// is given again, as nobody knows whether its file was ever written.
        case moved
        /// It isn't in the content, and goes on here: this is why, for the user's screen, in English.
        case stays(String)
        /// It isn't in the content: `interrupted` if nobody knows yet what came of an answer, which is
        /// on its way; `malformed` if its record is damaged; `storage`, `storageUnknown` or `conflict`
        /// if it couldn't be marked.
        case failed(PushError)
    }
}

/// What became of an enrollment that came from another device.
public struct ImportedEnrollment: Sendable {
    /// The enrollment as it was on the other device.
    public let enrollment: Enrollment

    /// What became of it.
    public let result: Result

    /// What became of an enrollment that came from another device.
    @nonexhaustive
    public enum Result: Sendable {
        /// It is in use here now.
        case taken(Enrollment)
        /// It is in use here already, and nothing has changed.
        case known
        /// It wasn't taken, and this is why: `notFound` if its plugin isn't linked under this name,
        /// `malformed` or `unsupported` if the plugin can't read it, `alreadyEnrolled` if the account has
        /// another enrollment here, `conflict` if another enrollment has its name, a refusal that its
        /// invitation would meet, or `storage` if it couldn't be written.
        case left(PushError)
    }
}
