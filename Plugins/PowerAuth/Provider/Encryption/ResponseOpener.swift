import PushCore

/// Opens the response to one request.
///
/// The keys come from the request's ephemeral key, so a response to another request isn't opened.
/// Version 3.1 alone doesn't tell a response from the request itself, played back: whoever reads
/// what was opened must ask for a member that requests don't have.
struct ResponseOpener: Sendable {
    private let context: EnvelopeContext
    private let requestNonce: [UInt8]

    init(_ context: EnvelopeContext, requestNonce: [UInt8]) {
        self.context = context
        self.requestNonce = requestNonce
    }

    /// Checks and decrypts a response.
    ///
    /// The members of the version must be there, of the right sizes and in the one Base64 text of
    /// their bytes; envelope members of other versions must not (`null` counts as absent). Members
    /// that no envelope has are ignored.
    ///
    /// - Throws: `PushError` with the code `untrusted`, the same whatever is wrong.
    func open(_ envelope: JSON) throws(PushError) -> Secret {
        do throws(PushError) {
            return try opened(envelope)
        } catch {
            throw EnvelopeContext.untrusted
        }
    }

    private func opened(_ envelope: JSON) throws(PushError) -> Secret {
        let carriesNonce = context.version != .v3_1
        try refuse(["temporaryKeyId", "ephemeralPublicKey"], in: envelope)
        let mac = try bytes("mac", EnvelopeContext.codeByteCount, in: envelope)
        let data = try bytes("encryptedData", nil, in: envelope)
        guard carriesNonce else {
            try refuse(["nonce", "timestamp"], in: envelope)
            let freshness = EnvelopeContext.Freshness(nonce: requestNonce, timestamp: 0)
            return try context.open(data, mac: mac, freshness, vectorNonce: requestNonce)
        }
        let nonce = try bytes("nonce", EnvelopeContext.nonceByteCount, in: envelope)
        guard let timestamp = envelope["timestamp"]?.integer else {
            throw EnvelopeContext.untrusted
        }
        let freshness = EnvelopeContext.Freshness(nonce: nonce, timestamp: timestamp)
        return try context.open(data, mac: mac, freshness, vectorNonce: nonce)
    }

    private func refuse(_ names: [String], in envelope: JSON) throws(PushError) {
        for name in names where ![nil, .null].contains(envelope[name]) {
            throw EnvelopeContext.untrusted
        }
    }

    private func bytes(
        _ name: String, _ count: Int?, in envelope: JSON
    ) throws(PushError) -> [UInt8] {
        guard let text = envelope[name]?.string else { throw EnvelopeContext.untrusted }
        return try Array(StrictBase64.decode(text, count: count))
    }
}
