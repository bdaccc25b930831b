public import PushCore

/// OXRW/1, our open reference wire format: the documented semantics in a format that anyone can
/// implement.
///
/// It is not the vendor's protocol, and doesn't work with the vendor's products. Pushes are minimal
/// and signed (ES256) by a key that was pinned at personalization; every request is signed by the
/// device, every answer by the manager; neither the activation secret nor the PIN can be read on the
/// way.
public struct OpenReferenceWireFormat: XignInWireFormat {
    /// Creates the format.
    public init() {}

    /// A push that has the key `oxrw`.
    public func candidate(in message: PushMessage) -> XignInCandidate? {
        PushEnvelope(message).map { XignInCandidate($0, verifiedBy: message(from:using:)) }
    }
}
