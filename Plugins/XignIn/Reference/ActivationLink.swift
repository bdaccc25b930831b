import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An activation link of OXRW/1: where the manager is, what it signs with, and the activation secret.
struct ActivationLink {
    let manager: Endpoint
    let idm: String
    let secret: Secret
    let managerKey: ES256PublicKey

    private static let start = "oxrw://personalize?d="
    private static let maximumLength = 4096

    /// Reads a link; `nil` if the text has another scheme.
    init?(_ link: Secret, allowsPlainHTTP: Bool) throws(PushError) {
        let text = link.withBytes { String(decoding: $0, as: UTF8.self) }
        let (scheme, rest) = text.cut(at: "://")
        guard rest != nil, scheme.asciiWord == "oxrw" else { return nil }
        guard text.utf8.starts(with: Self.start.utf8), text.utf8.count <= Self.maximumLength else {
            throw PushError(.invalidInvitation, "Not a link that personalizes.")
        }
        let claims: Claims
        do throws(PushError) {
            let data = try Base64.data(
                from: Substring(text.utf8.dropFirst(Self.start.utf8.count)), as: .url)
            claims = Claims(try StrictJSON.object(data))
        } catch {
            throw Self.invalid("d", error)
        }
        guard claims.members["v"] == 1 else { throw Self.invalid("v") }
        manager = try Self.manager(claims.members["mgr"]?.string ?? "", allowsPlainHTTP)
        guard let idm = try? claims.identifier("idm") else { throw Self.invalid("idm") }
        self.idm = idm
        guard let secret = try? Base64.secret(from: try claims.text("act"), as: .url),
            secret.count == 32
        else { throw Self.invalid("act") }
        self.secret = secret
        guard let point = try? Base64.data(from: try claims.text("mk"), as: .url),
            point.count == 65, let key = try? P256.Signing.PublicKey(x963Representation: point)
        else { throw Self.invalid("mk") }
        managerKey = ES256PublicKey(key)
    }

    /// Scheme, host and perhaps a port, in lower case, and nothing behind.
    private static func manager(
        _ text: String, _ allowsPlainHTTP: Bool
    ) throws(PushError) -> Endpoint {
        guard let endpoint = try? Endpoint(text),
            text == "\(endpoint.scheme)://\(endpoint.authority)", text == text.lowercased()
        else { throw invalid("mgr") }
        let isLoopback = ["127.0.0.1", "localhost", "::1"].contains(endpoint.host)
        guard endpoint.isSecure || allowsPlainHTTP && isLoopback else { throw invalid("mgr") }
        return endpoint
    }

    private static func invalid(_ name: String, _ cause: PushError? = nil) -> PushError {
        PushError(
            .invalidInvitation, "The parameter \"\(name)\" of the link can't be used.",
            underlying: cause)
    }
}
