/// What leaves a device, and the result for each enrollment.
public struct EnrollmentExport: Sendable {
    /// What leaves: the content of a file. Seal it under a password before it goes anywhere.
    /// Everything in it that moves has been marked as moved before, durably.
    public let content: Secret

    /// One for each enrollment that was asked for.
    public let entries: [Entry]

    /// One enrollment.
    public struct Entry: Sendable {
        /// The enrollment as it was before.
        public let enrollment: Enrollment

        /// What became of it.
        public let result: Result
    }

    /// What became of the enrollment, or would become of it.
    @nonexhaustive
    public enum Result: Sendable {
        /// It is in the content, and works here as before.
        case copied
        /// It is in the content, and can't be used here any more. An enrollment that was moved
        /// before is given again: nobody knows whether its file was ever written.
        case moved
        /// It isn't in the content, and works here as before. The reason is for the user's screen,
        /// in English.
        case notExportable(String)
        /// It isn't in the content: `interrupted` if an answer is on its way and nobody knows yet
        /// what came of it; `malformed` if its record is damaged; `storage`, `storageUnknown` or
        /// `conflict` if it couldn't be marked.
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
        /// It wasn't taken: `notFound` if its plugin isn't linked under this name, `malformed` or
        /// `unsupported` if the plugin can't read it, `alreadyEnrolled` if the account has another
        /// enrollment here, `conflict` if another enrollment has its name, a refusal that its
        /// invitation would meet, or `storage` if it couldn't be written.
        case left(PushError)
    }
}
