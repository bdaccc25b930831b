public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An application as the PowerAuth server knows it: what an app ships with to enroll at all.
///
/// It isn't secret in a cryptographic sense, as every installation has it, but nobody may change it
/// there: an attacker who replaces the master key owns what is enrolled.
public struct PowerAuthApplication: Sendable {
    /// The application's key: 16 bytes in Base64. Kept as text, because MACs are made over the text.
    public let key: String

    /// The application's secret: the 24 ASCII characters of 16 bytes in Base64.
    ///
    /// Signatures and encryption take the text, requests for temporary keys take the bytes.
    public let secret: Secret

    /// The server's public key for this application, which signs activation codes.
    let masterKey: CurvePoint

    /// The bytes that ``secret`` stands for.
    let secretKey: Secret

    /// Creates an application from its three values.
    ///
    /// - Parameters:
    ///   - key: 16 bytes in Base64 (RFC 4648 section 4), padded.
    ///   - secret: The characters of 16 bytes in Base64, padded.
    ///   - masterPublicKey: A point of P-256 in 33 or 65 bytes (SEC 1 section 2.3.3).
    /// - Throws: `PushError` with the code `invalidArgument`; the reason names the value.
    public init(key: String, secret: Secret, masterPublicKey: Data) throws(PushError) {
        do {
            _ = try StrictBase64.decode(key, count: 16)
        } catch {
            throw PushError(.invalidArgument, "The application key isn't 16 bytes in Base64.")
        }
        do {
            secretKey = try secret.withBytes { (text) throws(PushError) in
                try StrictBase64.secret(String(decoding: text, as: UTF8.self), count: 16)
            }
        } catch {
            throw PushError(.invalidArgument, "The application secret isn't 16 bytes in Base64.")
        }
        do {
            masterKey = try CurvePoint(CurvePoint(masterPublicKey).uncompressed).readyToVerify()
        } catch {
            throw PushError(
                .invalidArgument, "The master public key isn't a point of P-256.",
                underlying: error)
        }
        self.key = key
        self.secret = secret
    }

    /// Creates an application from the text that the vendor's console hands out for its SDK
    /// (vendor: powerauth-cmd-tool, `docs/Readme.md`).
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the text isn't of that form.
    public init(sdkConfiguration: String) throws(PushError) {
        let read = try SDKConfigurationReader(sdkConfiguration)
        try self.init(
            key: read.key.withUnsafeBytes { Base64Text.string($0) },
            secret: read.secret.withBytes { bytes in
                Secret(count: Base64Text.count(ofBytes: bytes.count)) {
                    _ = Base64Text.write(bytes, to: $0)
                }
            },
            masterPublicKey: read.masterPublicKey)
    }

    /// The server's public key for this application: 65 bytes (SEC 1 section 2.3.3).
    public var masterPublicKey: Data { masterKey.uncompressed }
}

/// Reads the text in which the vendor's console hands out an application's three values.
///
/// In Base64: the version 1, the application's key and secret, the number of public keys, and each
/// key after its kind. Lengths and the number take one, two or four bytes; the two highest bits of
/// the first one tell.
struct SDKConfigurationReader {
    /// The application's key, 16 bytes.
    let key: Data

    /// The application's secret, 16 bytes.
    let secret: Secret

    /// The point of the last P-256 master key among the keys; those of other kinds are passed over.
    let masterPublicKey: Data

    private static let version: UInt8 = 1
    private static let masterKeyP256: UInt8 = 1

    /// Reads a text. What follows the last key is passed over.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if it isn't of this form.
    init(_ text: String) throws(PushError) {
        guard let sealed = try? Base64.secret(from: text) else { throw Self.invalid }
        self = try sealed.withBytes { (bytes) throws(PushError) in
            var reader = ByteReader(bytes)
            guard let read = Self(&reader) else { throw Self.invalid }
            return read
        }
    }

    private init?(_ reader: inout ByteReader) {
        guard reader.byte() == Self.version,
            let key = reader.block(), key.count == 16,
            let secret = reader.block(), secret.count == 16,
            let count = reader.number()
        else { return nil }
        var master: UnsafeRawBufferPointer?
        for _ in 0..<count {
            guard let kind = reader.byte(), let block = reader.block() else { return nil }
            if kind == Self.masterKeyP256 { master = block }
        }
        guard let master else { return nil }
        self.key = Data(key)
        self.secret = Secret(secret)
        masterPublicKey = Data(master)
    }

    private static let invalid = PushError(
        .invalidArgument, "The text isn't a configuration of the mobile SDK.")
}
