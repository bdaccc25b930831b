public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A key that verifies signatures or authentication codes, of one algorithm only.
///
/// The key says what a JWS may be signed with, never the JWS. A plugin that needs another algorithm
/// brings a conforming type of its own.
public protocol JWSVerificationKey: Sendable {
    /// The one algorithm it verifies, by its registered name, such as `ES256` (RFC 7518 section 3).
    var algorithm: String { get }

    /// Returns if a signature is right, and throws if it isn't.
    ///
    /// Authentication codes must be compared in constant time.
    ///
    /// - Parameters:
    ///   - signature: The decoded signature, of any length; it comes from a stranger.
    ///   - message: The bytes that were signed.
    /// - Throws: `PushError` with the code `untrusted`.
    func verify(
        _ signature: UnsafeRawBufferPointer, over message: UnsafeRawBufferPointer
    ) throws(PushError)
}

extension JWSVerificationKey {
    /// Returns if a signature is right, and throws if it isn't.
    ///
    /// - Throws: `PushError` with the code `untrusted`.
    public func verify(_ signature: Data, over message: Data) throws(PushError) {
        try signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                Result { () throws(PushError) in try verify(signature, over: message) }
            }
        }.get()
    }
}

/// A key that makes signatures or authentication codes, of one algorithm only.
public protocol JWSSigningKey: Sendable {
    /// The one algorithm it signs with, by its registered name, such as `ES256` (RFC 7518
    /// section 3).
    var algorithm: String { get }

    /// Signs.
    ///
    /// - Parameter message: The bytes to sign.
    /// - Returns: The signature in the form that RFC 7518 gives it, not yet encoded as text.
    /// - Throws: `PushError`, such as if the key can't be used now.
    func signature(over message: Data) throws(PushError) -> Data
}

extension JWSSigningKey {
    /// Signs a payload and writes it as compact JWS (RFC 7515 section 7.1).
    ///
    /// - Parameters:
    ///   - payload: The payload, at least one byte.
    ///   - header: The header, in the order to write it. `alg` is put first if it isn't there.
    /// - Returns: The three parts in Base64url, with a dot between them.
    /// - Throws: `PushError` with the code `invalidArgument` if the payload is empty, `alg` isn't
    ///   this key's, or ``JWSHeader`` refuses the header; else what ``signature(over:)`` throws.
    public func compactJWS(
        of payload: Data, header: JSON.Object = [:]
    ) throws(PushError) -> String {
        try compactJWS(of: payload, header: header, carryingKey: false)
    }

    /// The same, of a header with a `jwk` if it is that of a DPoP proof.
    func compactJWS(
        of payload: Data, header: JSON.Object, carryingKey: Bool
    ) throws(PushError) -> String {
        guard !payload.isEmpty else {
            throw PushError(.invalidArgument, "The payload of a JWS is empty.")
        }
        var parameters = header
        if parameters["alg"] == nil {
            parameters = JSON.Object([("alg", .string(algorithm))] + header.members)
        }
        do throws(PushError) {
            try JWSHeader(parameters, carryingKey: carryingKey).requireAlgorithm(algorithm)
        } catch {
            throw PushError(.invalidArgument, error.reason, underlying: error)
        }
        let input =
            Base64.encode(JSON.object(parameters).utf8, as: .url) + "."
            + Base64.encode(payload, as: .url)
        let signature = try signature(over: Data(input.utf8))
        return input + "." + Base64.encode(signature, as: .url)
    }
}
