import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore

@testable import PushAuthCommand

/// Feeds the form of a token endpoint, and as no mutation finds a right signature, the same bytes
/// as the claims of an assertion that the account signs: only what it signed, for here and for now,
/// gets an access token, which is good for what was asked; a refusal says nothing of what came.
@main
enum FuzzOAuthForm {
    private static let now = Date(timeIntervalSince1970: 1_780_000_000)
    private static let url = "http://127.0.0.1:8080/token"

    static func main() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let account = ServiceAccount(project: "example", keyID: "key-0", key: key)
        let endpoint = OAuthEndpoint(
            account: account, tokens: AccessTokens(key: SystemRandom().bytes(32)), url: url)
        fuzz { bytes in
            let body = Data(bytes)
            check(endpoint, body)
            let text = String(decoding: bytes, as: UTF8.self)
            expect((try? endpoint.tokens.grant(of: text, at: now)) == nil, "no token is guessed")
            guard (try? JSON(parsing: body).object) != nil,
                let assertion = try? signed(body, by: key)
            else { return }
            let type = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
            check(endpoint, Data("grant_type=\(type)&assertion=\(assertion)".utf8))
        }
    }

    private static func check(_ endpoint: OAuthEndpoint, _ body: Data) {
        var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/token")
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        let reply = endpoint.reply(to: request, body, at: now)
        guard reply.status == .ok else {
            let error = reply.body?["error"]?.string ?? ""
            let words = [
                "invalid_request", "unsupported_grant_type", "invalid_grant", "invalid_scope",
            ]
            expect(words.contains(error), "a refusal is one of RFC 6749's")
            expect((reply.body?.data.count ?? 0) < 160, "it says nothing of what came")
            return
        }
        guard let claims = claims(in: body, by: endpoint.account.key.publicKey) else {
            return expect(false, "only what the account signed gets a token")
        }
        expect(claims["iss"] as? String == endpoint.account.email, "the account says who it is")
        let audience = claims["aud"] as? String
        expect(
            audience == url || audience == "https://oauth2.googleapis.com/token",
            "an assertion is for here")
        let (begin, end) = (claims["iat"] as? Double ?? 0, claims["exp"] as? Double ?? 0)
        let seconds = now.timeIntervalSince1970
        expect(
            begin <= seconds + 300 && seconds - 300 < end && end - begin <= 3600,
            "it is for now, and for an hour")
        let scopes = (claims["scope"] as? String ?? "").components(separatedBy: " ")
        let prefix = "https://www.googleapis.com/auth/"
        let isMessaging =
            scopes.contains(prefix + "firebase.messaging")
            || scopes.contains(prefix + "cloud-platform")
        let token = reply.body?["access_token"]?.string ?? ""
        let grant = try? endpoint.tokens.grant(of: token, at: now)
        expect(
            grant == (isMessaging ? .messaging : .somethingElse), "it is good for what was asked")
        let later = now.addingTimeInterval(3601)
        expect((try? endpoint.tokens.grant(of: token, at: later)) == nil, "it ends")
    }

    /// What the account signed, told without the reader.
    private static func claims(
        in body: Data, by key: _RSA.Signing.PublicKey
    ) -> [String: Any]? {
        let fields = String(decoding: body, as: UTF8.self).components(separatedBy: "&")
            .map { $0.replacing("+", with: " ").components(separatedBy: "=") }
            .filter { $0[0].removingPercentEncoding == "assertion" }
        guard fields.count == 1,
            let text = fields[0].dropFirst().joined(separator: "=")
                .removingPercentEncoding
        else { return nil }
        let parts = text.components(separatedBy: ".")
        guard parts.count == 3, let signature = data(parts[2]), let claims = data(parts[1]),
            key.isValidSignature(
                .init(rawRepresentation: signature),
                for: SHA256.hash(data: Data("\(parts[0]).\(parts[1])".utf8)),
                padding: .insecurePKCS1v1_5)
        else { return nil }
        return try? JSONSerialization.jsonObject(with: claims) as? [String: Any]
    }

    private static func signed(_ claims: Data, by key: _RSA.Signing.PrivateKey) throws -> String {
        let input = [Data(#"{"alg":"RS256","kid":"key-0"}"#.utf8), claims].map(text)
            .joined(separator: ".")
        let signature = try key.signature(
            for: SHA256.hash(data: Data(input.utf8)), padding: .insecurePKCS1v1_5)
        return input + "." + text(signature.rawRepresentation)
    }

    private static func text(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func data(_ url: String) -> Data? {
        let text = url.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}
