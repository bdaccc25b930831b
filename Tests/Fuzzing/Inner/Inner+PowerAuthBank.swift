import Foundation
import HTTPTypes
import PushCore

@testable import PushPowerAuth

extension Inner {
    private static let transport = Secret(Array(0..<16))
    private static let vaultKey = Secret(Array(16..<32))

    /// Reads bytes as the reply that lends the vault's key; and the same bytes as the key that is lent,
    /// and as the device's key, as it lies on record and as what is locked in it.
    public static func powerAuthVault(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        guard let server else { return "the example is a key" }
        if let broken = checkedLoan(Secret(bytes)) { return broken }
        let texts = [
            Secret(bytes),
            (try? BlockCipher.encrypt(
                Secret(bytes), key: vaultKey, iv: BlockCipher.zeroIV, padding: true))
                .map { Secret($0) },
        ]
        for locked in texts {
            guard let locked else { return "any bytes can be locked" }
            do throws(PushError) {
                let vault = try PowerAuthOpenVault(
                    vaultKey: vaultKey, locked: locked, serverKey: server.point)
                guard vault.keys.vault.isEqualInConstantTime(to: vaultKey) else {
                    return "a vault opens to its own key alone"
                }
            } catch {
                guard error.code == .untrusted else { return "all else is untrusted" }
            }
        }
        return nil
    }

    private static func checkedLoan(_ reply: Secret) -> StaticString? {
        let plain = reply.withBytes { Data($0) }
        var replies = [reply]
        if let lent = try? BlockCipher.encrypt(
            reply, key: transport, iv: BlockCipher.zeroIV, padding: true)
        {
            let text = Data(lent).base64EncodedString()
            replies.append(Secret(Data("{\"encryptedVaultEncryptionKey\":\"\(text)\"}".utf8)))
        }
        for (index, reply) in replies.enumerated() {
            let key: Secret
            do throws(PushError) {
                key = try PowerAuthOpenVault.key(lentBy: reply, under: transport)
            } catch {
                guard error.code == .malformed || error.code == .untrusted else {
                    return "what lends no key is malformed, or untrusted"
                }
                guard index == 0 || plain.count != 16 else { return "16 bytes are lent as a key" }
                continue
            }
            guard key.count == 16, index == 0 || key.withBytes({ Data($0) }) == plain else {
                return "a key is the 16 bytes that were lent"
            }
        }
        return nil
    }

    /// Reads bytes as what a server answered to an encrypted request of the app's own.
    public static func powerAuthRequestReply(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        for version in PowerAuthVersion.allCases {
            guard let context = try? context(version) else { return "there are keys" }
            let head = HTTPRequest(
                method: .post, scheme: "https", authority: "bank.example", path: "/order")
            let sealed = PowerAuthRequest(
                head: head, body: Data(), proof: .none,
                opener: ResponseOpener(context, requestNonce: nonce))
            let plain = PowerAuthRequest(head: head, body: Data(), proof: .none, opener: nil)
            for (request, code) in [(sealed, PushError.Code.untrusted), (plain, .invalidArgument)] {
                do throws(PushError) {
                    _ = try request.opened(Data(bytes))
                    return "no bytes of a stranger are opened"
                } catch {
                    guard error.code == code else { return "a reply is opened, or refused" }
                }
            }
            guard let envelope = try? self.sealed(Secret(bytes), context),
                let opened = try? sealed.opened(envelope.data)
            else { return "the server's reply is opened" }
            guard opened.isEqualInConstantTime(to: Secret(bytes)) else {
                return "what was sealed comes out"
            }
        }
        return nil
    }

    /// Reads a text as the query of a GET: what is signed has to be what a server of the vendor's
    /// framework reads, which decodes it twice.
    public static func powerAuthQuery(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let query = String(decoding: bytes, as: UTF8.self)
        let signed: String
        do throws(PushError) {
            signed = try CanonicalQuery(ofPath: "/x?" + query).text
        } catch {
            return error.code == .invalidArgument
                ? nil : "a query is signed, or an invalid argument"
        }
        guard let seen = serverQuery(query) else { return "what is signed can be decoded" }
        return seen.utf8.elementsEqual(signed.utf8) ? nil : "the server reads what is signed"
    }

    private static func serverQuery(_ query: String) -> String? {
        guard let whole = formDecoded(query) else { return nil }
        var pairs: [(name: String, value: String)] = []
        for piece in whole.utf8.split(separator: UInt8(ascii: "&")) {
            guard let mark = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
            guard let name = formDecoded(String(decoding: piece[..<mark], as: UTF8.self)),
                let value = formDecoded(
                    String(decoding: piece[piece.index(after: mark)...], as: UTF8.self))
            else { return nil }
            pairs.append((name, value))
        }
        pairs.sort { one, other in
            Array(one.name.utf16) == Array(other.name.utf16)
                ? one.value.utf16.lexicographicallyPrecedes(other.value.utf16)
                : one.name.utf16.lexicographicallyPrecedes(other.name.utf16)
        }
        return pairs.map { formEncoded($0.name) + "=" + formEncoded($0.value) }
            .joined(separator: "&")
    }

    private static func formDecoded(_ text: String) -> String? {
        // By bytes: a plus and a combining mark are one character.
        let blanks = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: blanks, as: UTF8.self).removingPercentEncoding
    }

    private static func formEncoded(_ text: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.* ")
        let encoded = text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
        let bytes = encoded.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
