import Crypto
import CryptoExtras
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Content sealed under a password, as the file that carries enrollments to another device.
///
/// The key is scrypt's (RFC 7914), the seal AES-256-GCM, and all that stands before the sealed content is
/// bound to it. Version 1 of a file, in bytes:
///
/// ```text
///  0   8  PUSHAUTH in ASCII
///  8   1  the version, 1
///  9   1  the logarithm of scrypt's cost N to the base 2
/// 10   1  scrypt's block size r, 8
/// 11   1  scrypt's parallelism p, 1
/// 12  16  scrypt's salt
/// 28  12  the nonce
/// 40      the content sealed, and the tag of 16 bytes
/// ```
///
/// A password is its UTF-8 bytes as they are: nothing is trimmed, and no spelling made equal to another.
public enum PasswordSeal {
    /// The least bytes of a password that content is sealed under. It guards against mistakes: the file
    /// is as safe as the password is hard to guess.
    public static let shortestPassword = 8

    /// The most bytes of a file that is opened.
    public static let largestFile = 64 << 20

    /// How much scrypt costs as of today: 128 MiB of memory, and about as many milliseconds as a second
    /// has on a phone of some years.
    private static let cost: UInt8 = 17

    /// What is opened: a file can't make the device work on it for minutes, or without memory.
    private static let costs: ClosedRange<UInt8> = 10...18

    private static let magic = Array("PUSHAUTH".utf8)
    private static let version: UInt8 = 1
    private static let blockSize: UInt8 = 8
    private static let parallelism: UInt8 = 1
    private static let headerSize = 40
    private static let saltRange = 12..<28
    private static let nonceRange = 28..<40
    private static let tagSize = 16

    /// Seals content. It takes a while, away from the caller's actor.
    ///
    /// - Parameters:
    ///   - content: What is sealed.
    ///   - password: What it is sealed under, at least ``shortestPassword`` bytes.
    ///   - random: Where the salt and the nonce come from.
    /// - Returns: The file.
    /// - Throws: `PushError` with the code `invalidArgument` if the password is too short, or the content
    ///   larger than ``largestFile`` allows.
    public static func seal(
        _ content: Secret, under password: Secret, random: any RandomSource
    ) async throws(PushError) -> Data {
        try await seal(content, under: password, cost: cost, random: random)
    }

    /// The same at another cost, for tests.
    @concurrent package static func seal(
        _ content: Secret, under password: Secret, cost: UInt8, random: any RandomSource
    ) async throws(PushError) -> Data {
        guard password.count >= shortestPassword else {
            throw PushError(
                .invalidArgument, "The password has fewer than \(shortestPassword) bytes.")
        }
        guard content.count <= largestFile - headerSize - tagSize else {
            throw PushError(.invalidArgument, "The content is too large.")
        }
        var file = Data(magic + [version, cost, blockSize, parallelism])
        random.bytes(saltRange.count + nonceRange.count).withBytes {
            file.append(contentsOf: $0)
        }
        do {
            let sealed = try content.withBytes { bytes in
                try AES.GCM.seal(
                    bytes, using: try key(password, of: file),
                    nonce: AES.GCM.Nonce(data: file[nonceRange]), authenticating: file)
            }
            return file + sealed.ciphertext + sealed.tag
        } catch {
            throw PushError(.invalidArgument, "The content can't be sealed.", underlying: error)
        }
    }

    /// Opens a file. It takes a while, away from the caller's actor.
    ///
    /// - Throws: `PushError` with the code `unsupportedRecord` if a newer version sealed it. Else with the
    ///   code `verificationFailed`, whether the password is wrong, the file is damaged, or it is
    ///   something else: which of these it is, nobody is told.
    @concurrent public static func open(
        _ file: Data, with password: Secret
    ) async throws(PushError) -> Secret {
        let file = Data(file.prefix(largestFile + 1))
        guard file.count <= largestFile, file.starts(with: magic), file.count > magic.count else {
            throw refused
        }
        guard file[magic.count] <= version else {
            throw PushError(.unsupportedRecord, "A newer version has sealed the file.")
        }
        guard file[magic.count] == version, file.count >= headerSize + tagSize,
            costs.contains(file[9]), file[10] == blockSize, file[11] == parallelism
        else { throw refused }
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: file[nonceRange]),
                ciphertext: file[headerSize..<file.count - tagSize],
                tag: file[(file.count - tagSize)...])
            let key = try key(password, of: file)
            var opened = try AES.GCM.open(
                box, using: key, authenticating: file[..<headerSize])
            defer { opened.resetBytes(in: opened.startIndex..<opened.endIndex) }
            return Secret(opened)
        } catch {
            throw refused
        }
    }

    private static let refused = PushError(
        .verificationFailed, "The password is wrong, or the file is damaged or no export.")

    private static func key(_ password: Secret, of header: Data) throws -> SymmetricKey {
        try password.withBytes { bytes in
            try KDF.Scrypt.deriveKey(
                from: bytes, salt: header[saltRange], outputByteCount: 32,
                rounds: 1 << Int(header[9]), blockSize: Int(blockSize),
                parallelism: Int(parallelism))
        }
    }
}
