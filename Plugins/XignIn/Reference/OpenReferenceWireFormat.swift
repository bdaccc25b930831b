public import PushCore
public import PushXignIn

/// OXRW/1, our open reference wire format: the documented semantics in a format that anyone can
/// implement.
///
/// It is not the vendor's protocol, and doesn't work with the vendor's products. Pushes are minimal
/// and signed (ES256) by a key that was pinned at personalization; every request is signed by the
/// device, every answer by the manager; neither the activation secret nor the PIN can be read on the
/// way.
public struct OpenReferenceWireFormat: XignInWireFormat {
    /// How long a push with an unknown key waits at the most until its manager may be asked for its
    /// newest keys.
    ///
    /// Anyone can forge such a push, so there is a pause between two questions. A push that would have
    /// to wait for longer is refused at once. Where the manager's answer is lost, the question is asked
    /// once more, if that is within the same wait.
    public let keyWait: Duration

    let keyQuestions = KeyQuestions()

    /// Creates the format.
    ///
    /// - Parameter keyWait: How long a push with an unknown key waits at the most; 15 seconds by
    ///   default.
    public init(keyWait: Duration = .seconds(15)) { self.keyWait = keyWait }

    /// A push that has the key `oxrw`.
    public func candidate(in message: PushMessage) -> XignInCandidate? {
        PushEnvelope(message).map { XignInCandidate($0, verifiedBy: message(from:using:)) }
    }
}
