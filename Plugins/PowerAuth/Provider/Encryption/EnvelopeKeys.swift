import Crypto
import PushCore

/// The keys of one exchange, 16 bytes each: the same ones seal the request and open its response.
struct EnvelopeKeys: Sendable {
    /// How many bytes the three keys are derived as.
    static let byteCount = 48

    let encryption: Secret
    let authentication: Secret
    let vector: Secret

    /// Takes the keys from the bytes they are derived as.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` unless there are ``byteCount``.
    init(_ bytes: UnsafeRawBufferPointer) throws(PushError) {
        guard bytes.count == Self.byteCount else {
            throw PushError(.invalidArgument, "An envelope's keys aren't 48 bytes.")
        }
        encryption = Secret(bytes[0..<16])
        authentication = Secret(bytes[16..<32])
        vector = Secret(bytes[32..<48])
    }

    /// Derives the keys by X9.63's function.
    ///
    /// - Parameters:
    ///   - shared: What the ephemeral key and the server's key agree on; it isn't folded.
    ///   - version: It enters the keys from 3.2 on.
    ///   - sharedInfo1: What the request is for, such as `/pa/token/create`.
    ///   - ephemeral: The ephemeral public key, as it is encoded in the request.
    init(
        _ shared: SharedSecret, _ version: PowerAuthVersion, sharedInfo1: String,
        ephemeral: [UInt8]
    ) throws(PushError) {
        let derived = shared.x963DerivedSymmetricKey(
            using: SHA256.self,
            sharedInfo: Self.info(version, sharedInfo1: sharedInfo1, ephemeral: ephemeral),
            outputByteCount: Self.byteCount)
        let keys = derived.withUnsafeBytes { bytes in
            Result { () throws(PushError) in try EnvelopeKeys(bytes) }
        }
        self = try keys.get()
    }

    /// What the keys depend on besides the shared secret.
    static func info(
        _ version: PowerAuthVersion, sharedInfo1: String, ephemeral: [UInt8]
    ) -> [UInt8] {
        let label = version == .v3_1 ? "" : version.rawValue
        return Array((label + sharedInfo1).utf8) + ephemeral
    }

    /// The initialization vector that belongs to a nonce.
    func vector(for nonce: [UInt8]) -> [UInt8] {
        KeyDerivation.internalKey(vector, nonce).withBytes { Array($0) }
    }
}
