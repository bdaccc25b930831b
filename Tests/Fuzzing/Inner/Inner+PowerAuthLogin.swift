import Foundation
import PushCore

@testable import PushPowerAuth

extension Inner {
    private static let redirect = "com.example.bank:/login"

    /// A login whose state is the base64url of 32 bytes 7.
    private static let login: PowerAuthOIDCLogin? = {
        let configuration: JSON = [
            "providerId": "bank", "clientId": "app", "scopes": "openid",
            "authorizeUri": "https://id.example.com/authorize", "redirectUri": .string(redirect),
            "pkceEnabled": true,
        ]
        return (try? OIDCConfiguration(configuration, of: "bank")).flatMap {
            try? PowerAuthOIDCLogin($0, random: Sevens(), allowsClear: false)
        }
    }()

    private static let state = Data(repeating: 7, count: 32).base64EncodedString()
        .replacing("=", with: "")

    /// Reads a text as what a browser comes back with; and as the end of what it does.
    public static func powerAuthCallback(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        guard let login else { return "there is a login" }
        let text = String(decoding: bytes, as: UTF8.self)
        for callback in [text, "\(redirect)?state=\(state)&\(text)"] {
            do throws(PushError) {
                let activation = try login.activation(from: callback)
                if let broken = checked(activation, callback) { return broken }
            } catch {
                guard [.untrusted, .malformed, .cancelled].contains(error.code),
                    error.reason.utf8.count < 80, !error.reason.contains(state)
                else { return "all else is refused, with a word of the SDK's" }
            }
        }
        return nil
    }

    private static func checked(
        _ activation: PowerAuthActivation, _ callback: String
    ) -> StaticString? {
        let query = callback.utf8.split(separator: 0x23, omittingEmptySubsequences: false)[0]
            .split(separator: 0x3F, maxSplits: 1).last.map {
                String(decoding: Array($0), as: UTF8.self)
            }
        let pairs = (query ?? "").components(separatedBy: "&").map {
            $0.components(separatedBy: "=")
        }
        func values(_ name: String) -> [String] {
            pairs.filter { $0[0].replacing("+", with: " ").removingPercentEncoding == name }
                .map { $0.dropFirst().joined(separator: "=") }
                .map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
        }
        guard callback.hasPrefix(redirect + "?"), values("state") == [state],
            values("error").isEmpty
        else { return "only the answer to this login is taken, once" }
        guard case .login(let attributes) = activation.identity, let code = values("code").first,
            values("code").count == 1, !code.isEmpty
        else { return "it brings one code" }
        guard attributes["code"]?.isEqualInConstantTime(to: Secret(copying: code)) == true,
            attributes["codeVerifier"] != nil, attributes["nonce"] != nil, attributes.count == 5
        else { return "the code goes on with what the login has chosen" }
        return nil
    }
}

private struct Sevens: RandomSource {
    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = 7 }
    }
}
