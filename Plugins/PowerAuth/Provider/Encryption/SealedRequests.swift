import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Seals requests by the protocol's ECIES, each with an ephemeral key and a nonce of its own
/// (vendor: powerauth-crypto, `docs/End-To-End-Encryption.md`).
struct RequestEncryptor: Sendable {
    private static let attempts = 8

    private let version: PowerAuthVersion
    private let key: EncryptionKey
    private let sharedInfo1: String
    private let sharedInfo2: [UInt8]
    private let associatedData: [UInt8]
    private let random: any RandomSource

    /// Creates an encryptor for one kind of request.
    ///
    /// - Parameters:
    ///   - version: The version that the request's headers name, too.
    ///   - scope: What the requests are bound to.
    ///   - key: The key to seal for; it has an identifier from version 3.3 on, and only then.
    ///   - sharedInfo1: What the requests are for, such as `/pa/token/create`.
    ///   - random: Where ephemeral keys and nonces come from: 32 bytes and 16 bytes of each
    ///     request, in this order. If the 32 bytes are no private key, 32 others are taken.
    /// - Throws: `PushError` with the code `invalidArgument` if the key isn't one of the version.
    init(
        version: PowerAuthVersion, scope: EncryptionScope, key: EncryptionKey,
        sharedInfo1: String, random: any RandomSource
    ) throws(PushError) {
        guard (key.id != nil) == (version == .v3_3) else {
            throw PushError(
                .invalidArgument, "Version \(version.rawValue) doesn't seal for such a key.")
        }
        self.version = version
        self.key = key
        self.sharedInfo1 = sharedInfo1
        self.random = random
        sharedInfo2 = scope.sharedInfo2
        associatedData = scope.associatedData(version, keyID: key.id)
    }

    /// Seals one request. A repeated request is sealed again: servers take an envelope once.
    ///
    /// - Parameters:
    ///   - plain: The request's own body; it may be empty.
    ///   - timestamp: Now, by the server's clock as far as it is known.
    /// - Returns: The envelope, with exactly the members of the version, and what opens its response.
    /// - Throws: `PushError` with the code `invalidArgument` if the random source yields no key.
    func seal(
        _ plain: Secret, timestamp: Date
    ) throws(PushError) -> (body: JSON, opener: ResponseOpener) {
        let privateKey = try ephemeralKey()
        let ephemeral = Array(privateKey.publicKey.compressedRepresentation)
        let nonce = random.array(EnvelopeContext.nonceByteCount)
        let context = try context(privateKey, ephemeral)
        let freshness = EnvelopeContext.Freshness(
            nonce: nonce, timestamp: timestamp.unixMilliseconds)
        let (data, mac) = try context.seal(plain, freshness, ephemeral: ephemeral)

        var members: [(String, JSON)] = []
        if let id = key.id { members.append(("temporaryKeyId", .string(id))) }
        members.append(("ephemeralPublicKey", .string(Base64.encode(ephemeral))))
        members.append(("encryptedData", .string(Base64.encode(data))))
        members.append(("mac", .string(Base64.encode(mac))))
        members.append(("nonce", .string(Base64.encode(nonce))))
        if version != .v3_1 { members.append(("timestamp", .integer(freshness.timestamp))) }
        return (.object(JSON.Object(members)), ResponseOpener(context, requestNonce: nonce))
    }

    private func context(
        _ privateKey: P256.KeyAgreement.PrivateKey, _ ephemeral: [UInt8]
    ) throws(PushError) -> EnvelopeContext {
        let serverKey = key.publicKey.agreementKey
        guard let shared = try? privateKey.sharedSecretFromKeyAgreement(with: serverKey) else {
            throw PushError(.invalidArgument, "The server's key can't be agreed with.")
        }
        let keys = try EnvelopeKeys(
            shared, version, sharedInfo1: sharedInfo1, ephemeral: ephemeral)
        return EnvelopeContext(
            version: version, keys: keys, sharedInfo2: sharedInfo2, associatedData: associatedData)
    }

    /// A key from random bytes: `PrivateKey()` would sign with it first, to test itself, which
    /// takes longer than all the rest of a request.
    private func ephemeralKey() throws(PushError) -> P256.KeyAgreement.PrivateKey {
        // One in 2³² numbers is no key, so a source that yields eight of them is broken.
        for _ in 0..<Self.attempts {
            let key = random.bytes(32).withBytes { bytes in
                try? P256.KeyAgreement.PrivateKey(rawRepresentation: bytes)
            }
            if let key { return key }
        }
        throw PushError(.invalidArgument, "The random source yields no private key.")
    }
}

/// Opens the response to one request.
///
/// The keys come from the request's ephemeral key, so a response to another request isn't opened.
/// Version 3.1 alone doesn't tell a response from the request itself, played back: the reader of
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
        let data = try StrictBase64.decode(text("encryptedData", in: envelope))
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
        for name in names {
            switch envelope[name] {
            case nil, .null?: continue
            default: throw EnvelopeContext.untrusted
            }
        }
    }

    private func bytes(
        _ name: String, _ count: Int, in envelope: JSON
    ) throws(PushError) -> [UInt8] {
        try StrictBase64.bytes(text(name, in: envelope), count: count)
    }

    private func text(_ name: String, in envelope: JSON) throws(PushError) -> String {
        guard let text = envelope[name]?.string else { throw EnvelopeContext.untrusted }
        return text
    }
}
