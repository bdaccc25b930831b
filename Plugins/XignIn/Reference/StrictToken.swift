import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A compact JWS of OXRW/1 that was read, not trusted. Its payload is closed until its signature has
/// held.
///
/// It is split here and not in PushJOSE, whose reader refuses in another order: which refusal comes
/// first is part of the format, as is an empty signature that reaches the check of `alg`.
struct StrictToken {
    /// The header, which may lead to a key and to nothing else.
    let header: JSON.Object

    private let payload: Data
    private let signature: Data
    private let signingInput: Data

    /// Splits a token.
    ///
    /// - Throws: `PushError` with the code `malformed` unless it is three parts in strict base64url,
    ///   of which only the last may be empty, and the header is strict JSON.
    init(_ text: String) throws(PushError) {
        let parts = text.parts(at: ".", most: 4)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw PushError(.malformed, "Not three parts of a token.")
        }
        let header = try Base64.data(from: parts[0], as: .url)
        payload = try Base64.data(from: parts[1], as: .url)
        signature = try Base64.data(from: parts[2], as: .url)
        signingInput = Data("\(parts[0]).\(parts[1])".utf8)
        self.header = try StrictJSON.object(header)
    }

    /// Checks what the header claims: first the algorithm, then that it is of the kind wanted and
    /// brings no key and no extension of its own.
    ///
    /// - Throws: `PushError` with the code `untrusted` for another algorithm, `malformed` for the
    ///   rest.
    func requireHeader(of type: String) throws(PushError) {
        guard header["alg"] == "ES256" else {
            throw PushError(.untrusted, "The token's alg isn't ES256.")
        }
        for name in ["jku", "x5u", "jwk", "x5c", "crit"] where header[name] != nil {
            throw PushError(.malformed, "The token's header has the refused member \(name).")
        }
        guard header["typ"] == .string(type) else {
            throw PushError(.malformed, "The token's typ isn't \(type).")
        }
    }

    /// A member of the header that must be a text.
    func requireText(_ name: String) throws(PushError) -> String {
        guard let text = header[name]?.string else {
            throw PushError(.malformed, "The token's header has no \(name).")
        }
        return text
    }

    /// Opens the payload, once its signature holds.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it doesn't, `malformed` if the payload isn't
    ///   strict JSON.
    func claims(verifiedBy key: ES256PublicKey) throws(PushError) -> Claims {
        try key.verify(signature, over: signingInput)
        return Claims(try StrictJSON.object(payload))
    }
}
