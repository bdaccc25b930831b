import PushCore

/// What a server made of a code.
struct ActivationReply: Sendable {
    /// The activation's name, in the server's case, which counts.
    let activationID: String

    /// The server's key for this activation.
    let serverKey: CurvePoint

    /// The counter's first value, 16 bytes.
    let counter: Secret

    /// Opens both envelopes of a reply.
    ///
    /// - Throws: `PushError` with the code `untrusted` if one can't be opened, `malformed` if what is
    ///   in it can't be used, such as a key that is no point of the curve.
    init(_ envelope: JSON, _ openers: Openers) throws(PushError) {
        guard let data = try Self.json(openers.outer.open(envelope))["activationData"] else {
            throw PushError(.malformed, "The reply has no activation data.")
        }
        let reply = try Self.json(openers.inner.open(data))
        guard let activationID = reply["activationId"]?.string, activationID.isPlainName,
            let key = reply["serverPublicKey"]?.string, let counter = reply["ctrData"]?.string
        else { throw PushError(.malformed, "The reply has no activation that can be used.") }
        self.activationID = activationID
        serverKey = try CurvePoint(StrictBase64.decode(key))
        self.counter = try StrictBase64.secret(counter, count: 16)
    }

    /// What opens the two envelopes.
    struct Openers: Sendable {
        let outer: ResponseOpener
        let inner: ResponseOpener
    }

    private static func json(_ secret: Secret) throws(PushError) -> JSON {
        try secret.withBytes { (bytes) throws(PushError) in try JSON(parsing: bytes) }
    }
}

extension String {
    /// Whether it's a name that can stand in a header, between quotes.
    fileprivate var isPlainName: Bool {
        (1...128).contains(utf8.count)
            && utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C && $0 != 0x2C }
    }
}
