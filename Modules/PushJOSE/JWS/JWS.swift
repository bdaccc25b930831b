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
    public let unverifiedHeader: JWSHeader

    /// The payload, for the one purpose of finding the key to verify with.
    public let unverifiedPayload: Data

    /// What the signature covers: the first two parts, exactly as they were received.
    private let signingInput: Data
    private let signature: Data

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
            try key.verify(signature, over: signingInput)
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
            return .success(try UnverifiedJWS(text, encoding, limits))
        } catch {
            return .failure(error)
        }
    }

    private init(
        _ text: UnsafeRawBufferPointer, _ encoding: JWSEncoding, _ limits: JSON.Limits
    ) throws(PushError) {
        guard text.count <= limits.bytes else {
            throw PushError(.malformed, "The JWS is larger than \(limits.bytes) bytes.")
        }
        guard let first = text.firstDot(from: 0), let last = text.firstDot(from: first + 1),
            text.firstDot(from: last + 1) == nil,
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
        // One memory for all three: payload, signature, and what that covers.
        let end = payload.count + signature.count
        var parts = Data(count: end + last)
        let fault = parts.withUnsafeMutableBytes { parts in
            UnsafeMutableRawBufferPointer(rebasing: parts[end...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: text[..<last]))
            return payload.write(to: .init(rebasing: parts[..<payload.count]))
                ?? signature.write(to: .init(rebasing: parts[payload.count..<end]))
        }
        if let fault { throw fault.pushError }
        unverifiedPayload = parts[..<payload.count]
        self.signature = parts[payload.count..<end]
        signingInput = parts[end...]
        if let usual {
            unverifiedHeader = usual
        } else {
            unverifiedHeader = try JWSHeader(parsing: json, limits)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Looks at eight bytes at a time: a token is long, and is searched as a whole.
    fileprivate func firstDot(from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var position = start
        while count - position >= 8 {
            let word = UInt64(
                littleEndian: loadUnaligned(fromByteOffset: position, as: UInt64.self))
            // Each byte that is a dot becomes zero, and the lowest zero gets the lowest mark.
            let others = word ^ (ones &* UInt64(UInt8(ascii: ".")))
            let marks = (others &- ones) & ~others & (ones << 7)
            if marks != 0 { return position + marks.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < count {
            if self[position] == UInt8(ascii: ".") { return position }
            position += 1
        }
        return nil
    }
}

/// A compact JWS whose signature was right.
///
/// Nothing but verification makes one. It proves who signed; not that it's fresh, meant for this
/// device, or of the expected kind.
public struct VerifiedJWS: Sendable {
    /// The header, which the signature covers.
    public let header: JWSHeader

    /// The payload, which the signature covers.
    public let payload: Data

    init(_ jws: UnverifiedJWS, verifiedBy key: some JWSVerificationKey) throws(PushError) {
        try jws.check(by: key)
        header = jws.unverifiedHeader
        payload = jws.unverifiedPayload
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
