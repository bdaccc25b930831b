import Crypto
import Foundation
import PushCore
import PushJOSE
import Testing

struct PrintingTests {
    /// Bytes that are easy to find in a text, however it writes them.
    private let bytes = Array("KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK".utf8)

    private func everythingPrinted(_ value: some Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text.lowercased()
    }

    @Test func `no key prints its bytes`() throws {
        let secret = Secret(bytes)
        let hmac = HS256Key(secret)
        let pair = try ES256PrivateKey(secret)
        let shared = try hmac.secretJWK()
        let whole = try pair.privateJWK()
        let texts = [
            everythingPrinted(hmac), everythingPrinted(pair), everythingPrinted(pair.secret),
            everythingPrinted(shared), everythingPrinted(whole),
            everythingPrinted(try HOTP(secret: secret)),
            everythingPrinted(try TOTP(secret: secret)),
        ]
        for text in texts {
            for trace in ["kkkk", "75, 75", "4b4b", "4b 4b", "s0tls0tl", "- 75"] {
                #expect(!text.contains(trace))
            }
        }
    }

    @Test func `no error repeats what a stranger sent`() throws {
        let header = #"{"alg":"STRANGER","jku":"STRANGER","kid":"STRANGER"}"#
        let texts = [
            try signedJWS(header: header, payload: "{}", by: acmeKey),
            try signedJWS(header: #"{"alg":"STRANGER"}"#, payload: "{}", by: acmeKey),
            "STRANGER.STRANGER.STRANGER!", "STRANGER",
        ]
        for text in texts {
            #expect {
                try UnverifiedJWS(parsing: text).verified(by: acmeKey)
            } throws: { error in
                !"\(error) \(String(reflecting: error))".contains("STRANGER")
            }
        }
    }
}
