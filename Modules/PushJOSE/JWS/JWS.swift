public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A compact JWS (RFC 7515 section 7.1) that was read, not trusted.
///
/// What it says may lead to the key that verifies it, and to nothing else.
public struct UnverifiedJWS: Sendable {
    /// The header.
    ///
    /// Its `kid` is a hint to a key, its `alg` never a choice of one.
    public var unverifiedHeader: JWSHeader { parts.header }

    /// The payload, for the one purpose of finding the key to verify with.
    public var unverifiedPayload: Data { withUnverifiedPayload { Data($0) } }

    /// Lends the payload, for the one purpose of finding the key to verify with.
    package func withUnverifiedPayload<Value>(
        _ body: (UnsafeRawBufferPointer) -> Value
    ) -> Value {
        parts.withPayload(body)
    }

    let parts: JWSParts

    /// Reads a compact JWS, each of its parts once.
    ///
    /// - Parameters:
    ///   - text: The text: three parts, none empty, and nothing around them.
    ///   - encoding: How payload and signature may be encoded.
    ///   - limits: `bytes` limits the whole text, `depth` the header's nesting.
    /// - Throws: `PushError` with the code `malformed` if it isn't a compact JWS at all,
    ///   `untrusted` if it is one that no key could make acceptable; see ``JWSHeader``.
    public init(
        parsing text: some StringProtocol, encoding: JWSEncoding = .strict,
        limits: JSON.Limits = JSON.Limits()
    ) throws(PushError) {
        self = try text.withLentUTF8 { Self.read($0, encoding, limits) }
    }

    /// Reads a compact JWS from a string, as the general initializer does, and faster.
    ///
    /// - Throws: As the general initializer.
    public init(
        parsing text: String, encoding: JWSEncoding = .strict, limits: JSON.Limits = JSON.Limits()
    ) throws(PushError) {
        var text = text
        self = try text.withUTF8 {
            Self.read(UnsafeRawBufferPointer($0), encoding, limits)
        }.get()
    }

    /// Reads a compact JWS from ASCII bytes, each of its parts once.
    ///
    /// - Parameters:
    ///   - ascii: The text: three parts, none empty, and nothing around them.
    ///   - encoding: How payload and signature may be encoded.
    ///   - limits: `bytes` limits the whole text, `depth` the header's nesting.
    /// - Throws: `PushError` with the code `malformed` if it isn't a compact JWS at all,
    ///   `untrusted` if it is one that no key could make acceptable; see ``JWSHeader``.
    public init(
        parsing ascii: Data, encoding: JWSEncoding = .strict, limits: JSON.Limits = JSON.Limits()
    ) throws(PushError) {
        self = try ascii.withUnsafeBytes { Self.read($0, encoding, limits) }.get()
    }

    /// Reads a compact JWS from lent ASCII bytes, as the initializer for `Data` does.
    package init(
        parsing ascii: UnsafeRawBufferPointer, encoding: JWSEncoding = .strict,
        limits: JSON.Limits = JSON.Limits()
    ) throws(PushError) {
        parts = try JWSParts(ascii, encoding, limits)
    }

    /// Reads a JWS whose header may have a `jwk`, as a DPoP proof's has.
    init(carryingKey text: String, limits: JSON.Limits) throws(PushError) {
        var text = text
        parts = try text.withUTF8 { bytes in
            Result { () throws(PushError) in
                try JWSParts(
                    UnsafeRawBufferPointer(bytes), .strict, limits, carryingKey: true)
            }
        }.get()
    }

    /// Checks the signature over the bytes that were received.
    ///
    /// - Throws: `PushError` with the code `untrusted`, whatever the reason.
    public func verified(by key: some JWSVerificationKey) throws(PushError) -> VerifiedJWS {
        try VerifiedJWS(self, verifiedBy: key)
    }

    /// Returns if the key's algorithm is the header's and the key accepts the signature.
    func check(by key: some JWSVerificationKey) throws(PushError) {
        try unverifiedHeader.requireAlgorithm(key.algorithm)
        do throws(PushError) {
            try parts.verify(by: key)
        } catch {
            guard error.code != .untrusted else { throw error }
            throw PushError(
                .untrusted, "The key couldn't verify the JWS.", provider: error.provider,
                underlying: error)
        }
    }
}

extension UnverifiedJWS {
    private static func read(
        _ text: UnsafeRawBufferPointer, _ encoding: JWSEncoding, _ limits: JSON.Limits
    ) -> Result<UnverifiedJWS, PushError> {
        do throws(PushError) {
            return .success(try UnverifiedJWS(parsing: text, encoding: encoding, limits: limits))
        } catch {
            return .failure(error)
        }
    }
}

/// What a compact JWS holds, in one place, as it is copied with each step of its way.
final class JWSParts: Sendable {
    let header: JWSHeader

    /// The payload, the signature, and what that covers: the first two parts, exactly as they were
    /// received.
    private let bytes: [UInt8]
    private let payloadEnd: Int
    private let signatureEnd: Int

    init(
        _ text: UnsafeRawBufferPointer, _ encoding: JWSEncoding, _ limits: JSON.Limits,
        carryingKey: Bool = false
    ) throws(PushError) {
        guard text.count <= limits.bytes else {
            throw PushError(.malformed, "The JWS is larger than \(limits.bytes) bytes.")
        }
        // The last dot is near the end. One between the two isn't of Base64, and refused as such.
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot), let last = text.lastIndex(of: dot),
            first > 0, first + 1 < last, last + 1 < text.count
        else { throw PushError(.malformed, "Not three non-empty parts of a compact JWS.") }

        let header = UnsafeRawBufferPointer(rebasing: text[..<first])
        let usual = UsualHeaders.header(in: header, limits)
        let json = usual == nil ? try Base64.bytes(from: header, as: .url) : []
        let payload = try Base64Reader.open(
            .init(rebasing: text[(first + 1)..<last]), as: encoding.reading
        ).get()
        let signature = try Base64Reader.open(
            .init(rebasing: text[(last + 1)...]), as: encoding.reading
        ).get()
        let end = payload.count + signature.count
        var fault: BinaryTextFault?
        bytes = [UInt8](unsafeUninitializedCapacity: end + last) { bytes, count in
            let parts = UnsafeMutableRawBufferPointer(start: bytes.baseAddress, count: end + last)
            UnsafeMutableRawBufferPointer(rebasing: parts[end...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: text[..<last]))
            fault =
                payload.write(to: .init(rebasing: parts[..<payload.count]))
                ?? signature.write(to: .init(rebasing: parts[payload.count..<end]))
            count = end + last
        }
        if let fault { throw fault.pushError }
        payloadEnd = payload.count
        signatureEnd = end
        if let usual {
            self.header = usual
        } else {
            self.header = try JWSHeader(parsing: json, limits, carryingKey: carryingKey)
        }
    }

    func withPayload<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<payloadEnd])) }
    }

    /// Lets a key verify the signature.
    func verify(by key: some JWSVerificationKey) throws(PushError) {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(PushError) in
                try key.verify(
                    UnsafeRawBufferPointer(rebasing: bytes[payloadEnd..<signatureEnd]),
                    over: UnsafeRawBufferPointer(rebasing: bytes[signatureEnd...]))
            }
        }.get()
    }
}

/// A compact JWS whose signature was right.
///
/// Nothing but verification makes one. It proves who signed; not that it's fresh, meant for this
/// device, or of the expected kind.
public struct VerifiedJWS: Sendable {
    /// The header, which the signature covers.
    public var header: JWSHeader { parts.header }

    /// The payload, which the signature covers.
    public var payload: Data { withPayload { Data($0) } }

    private let parts: JWSParts

    init(_ jws: UnverifiedJWS, verifiedBy key: some JWSVerificationKey) throws(PushError) {
        try jws.check(by: key)
        parts = jws.parts
    }

    /// Lends the payload.
    package func withPayload<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        parts.withPayload(body)
    }
}

/// How the payload and the signature of a compact JWS may be encoded.
public enum JWSEncoding: Hashable, Sendable {
    /// As RFC 7515 section 2 demands: base64url, unpadded, canonical.
    case strict
    /// Lenient, for a vendor whose own clients are: see ``Base64/Reading/anyAlphabet``.
    ///
    /// The header stays strict. The signature covers the text as it was received, so leniency
    /// lets nobody change the payload, only write the signature in several ways.
    case anyAlphabet

    var reading: Base64.Reading {
        switch self {
        case .strict: .url
        case .anyAlphabet: .anyAlphabet
        }
    }
}
