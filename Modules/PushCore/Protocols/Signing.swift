/// How the bytes of an answer come about.
public struct Signing: Sendable {
    private let sign: @Sendable (inout EnrollmentDocument) throws(PushError) -> Answer

    /// The bytes are made and signed.
    public init(_ answer: Answer) {
        sign = { _ in answer }
    }

    /// They are signed with the newest credential, such as its counter, in the write that records the
    /// decision.
    ///
    /// - Parameter sign: Changes the credential, and signs. It has the public half to read. It may
    ///   run more than once, so it must have no other effect, and ask nobody. If it throws
    ///   `conflict`, because the credential isn't the one that was prepared for, the answer is
    ///   prepared once more.
    public init<Credential: ProviderCredential>(
        _ sign: @escaping @Sendable (inout Credential, Enrollment) throws(PushError) -> Answer
    ) {
        self.sign = { (document) throws(PushError) in
            try document.changeCredential {
                (credential: inout Credential, enrollment) throws(PushError) in
                try sign(&credential, enrollment)
            }
        }
    }

    func answer(in document: inout EnrollmentDocument) throws(PushError) -> Answer {
        try sign(&document)
    }
}
