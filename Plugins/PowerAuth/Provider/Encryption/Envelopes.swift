import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What seals a request and opens its response, and nothing else: one exchange.
struct EnvelopeContext: Sendable {
    static let nonceByteCount = 16
    static let codeByteCount = 32

    let version: PowerAuthVersion
    let keys: EnvelopeKeys

    /// `SI2base`, 32 bytes.
    let sharedInfo2: [UInt8]

    /// Covered from version 3.2 on.
    let associatedData: [UInt8]

    /// A nonce and a time in milliseconds since 1970, as a request or a response carries them.
    struct Freshness: Sendable {
        let nonce: [UInt8]
        let timestamp: Int64
    }

    /// Encrypts and authenticates.
    ///
    /// `ephemeral` is the ephemeral public key as it is encoded in the request; it is empty in a
    /// response.
    ///
    /// - Returns: The ciphertext and its code.
    /// - Throws: `PushError` with the code `invalidArgument`, which keys of the right size give no
    ///   cause for.
    func seal(
        _ plain: Secret, _ freshness: Freshness, ephemeral: [UInt8]
    ) throws(PushError) -> (data: Data, mac: [UInt8]) {
        let data = try BlockCipher.encrypted(
            plain, key: keys.encryption, iv: keys.vector(for: freshness.nonce), padding: true)
        let mac = code(data, freshness, ephemeral: ephemeral) { message in
            Workspace.withCode(for: message, key: keys.authentication) { Array($0) }
        }
        return (data, mac)
    }

    /// Checks the code in constant time, and only then decrypts.
    ///
    /// The initialization vector comes from `vectorNonce`; up to version 3.1 that is the request's
    /// nonce.
    ///
    /// - Throws: `PushError` with the code `untrusted` if the code doesn't hold.
    func open(
        _ data: Data, mac: [UInt8], _ freshness: Freshness, vectorNonce: [UInt8]
    ) throws(PushError) -> Secret {
        let isGenuine = code(data, freshness, ephemeral: []) { message in
            mac.withUnsafeBytes {
                FastHMAC.isCode($0, for: message, key: keys.authentication)
            }
        }
        guard isGenuine else { throw Self.untrusted }
        return try BlockCipher.decrypt(
            data, key: keys.encryption, iv: keys.vector(for: vectorNonce), padding: true)
    }

    /// Lends what the code covers: the ciphertext, and what follows it.
    private func code<Value>(
        _ data: Data, _ freshness: Freshness, ephemeral: [UInt8],
        _ body: (UnsafeRawBufferPointer) -> Value
    ) -> Value {
        let count =
            data.count + sharedInfo2.count + freshness.nonce.count
            + MemoryLayout.size(ofValue: freshness.timestamp) + ephemeral.count
            + associatedData.count + 5 * ByteWriter.lengthCount
        return Workspace.lend(count) { message in
            var writer = ByteWriter(message)
            data.withUnsafeBytes { writer.put($0) }
            put(freshness, ephemeral: ephemeral, to: &writer)
            return body(UnsafeRawBufferPointer(rebasing: message[..<writer.position]))
        }
    }

    /// What the code covers after the ciphertext.
    ///
    /// `ephemeral` is empty in a response.
    func covered(_ freshness: Freshness, ephemeral: [UInt8]) -> [UInt8] {
        code(Data(), freshness, ephemeral: ephemeral) { Array($0) }
    }

    private func put(
        _ freshness: Freshness, ephemeral: [UInt8], to writer: inout ByteWriter
    ) {
        guard version != .v3_1 else {
            return sharedInfo2.withUnsafeBytes { writer.put($0) }
        }
        sharedInfo2.withUnsafeBytes { writer.put(sized: $0) }
        freshness.nonce.withUnsafeBytes { writer.put(sized: $0) }
        withUnsafeBytes(of: freshness.timestamp.bigEndian) { writer.put(sized: $0) }
        ephemeral.withUnsafeBytes { writer.put(sized: $0) }
        associatedData.withUnsafeBytes { writer.put(sized: $0) }
    }

    /// The one error of whatever can't be opened: which check failed would help a forger.
    static let untrusted = PushError(.untrusted, "The response's envelope can't be opened.")
}

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
        func key(_ start: Int) -> Secret {
            Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 16]))
        }
        (encryption, authentication, vector) = (key(0), key(16), key(32))
    }

    /// Derives the keys by X9.63's function.
    ///
    /// - Parameters:
    ///   - shared: What the ephemeral key and the server's key agree on; it isn't folded.
    ///   - version: It enters the keys from 3.2 on.
    ///   - sharedInfo1: What the request is for, such as `/pa/token/create`.
    ///   - ephemeral: The ephemeral public key, as it is encoded in the request.
    /// - Throws: `PushError` if the derived bytes can't be keys, which their number rules out.
    init(
        _ shared: SharedSecret, _ version: PowerAuthVersion, sharedInfo1: String,
        ephemeral: [UInt8]
    ) throws(PushError) {
        let info = Self.info(version, sharedInfo1: sharedInfo1, ephemeral: ephemeral)
        let keys = shared.withUnsafeBytes { shared in
            Result { () throws(PushError) in try EnvelopeKeys(shared, info) }
        }
        self = try keys.get()
    }

    /// Two runs of SHA-256, over the shared secret, a number and the information (ANSI X9.63, as in
    /// SEC 1, section 3.6.1). The library's function takes several times as long for so few bytes.
    private init(
        _ shared: UnsafeRawBufferPointer, _ info: [UInt8]
    ) throws(PushError) {
        let inputCount = shared.count + 4 + info.count
        let (digestCount, runs) = (FastHMAC.byteCount, 2)
        let keys = Workspace.lend(inputCount + runs * digestCount) { memory in
            let input = UnsafeMutableRawBufferPointer(rebasing: memory[..<inputCount])
            let output = UnsafeMutableRawBufferPointer(rebasing: memory[inputCount...])
            input.copyMemory(from: shared)
            UnsafeMutableRawBufferPointer(rebasing: input[(shared.count + 4)...])
                .copyBytes(from: info)
            for run in 0..<runs {
                let number = UInt32(run + 1).bigEndian
                input.storeBytes(of: number, toByteOffset: shared.count, as: UInt32.self)
                SHA256.digest(of: UnsafeRawBufferPointer(input)).withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: output[(run * digestCount)...])
                        .copyMemory(from: $0)
                }
            }
            let bytes = UnsafeRawBufferPointer(rebasing: output[..<Self.byteCount])
            return Result { () throws(PushError) in try EnvelopeKeys(bytes) }
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
        nonce.withUnsafeBytes { nonce in
            Workspace.withCode(for: nonce, key: vector) { code in
                (0..<16).map { code[$0] ^ code[$0 + 16] }
            }
        }
    }
}

/// Byte strings that are joined so that nobody can move bytes from one to the next.
enum SizedParts {
    /// Appends a part after its length in bytes: four bytes, most significant first.
    static func append(_ part: some Collection<UInt8>, to output: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.count).bigEndian) {
            output.append(contentsOf: $0)
        }
        output.append(contentsOf: part)
    }
}
