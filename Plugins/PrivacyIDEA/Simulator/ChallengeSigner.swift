import CryptoExtras
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes and signs the fields of a challenge, rightly or as a fault wants it.
struct ChallengeSigner {
    let key: PrivacyIDEASimulator.ServerKey
    let fault: PrivacyIDEASimulator.BadChallenge?
    let hasCapabilities: Bool
    let random: any RandomSource

    /// The key of another token, where a fault signs with it.
    var otherKey: PrivacyIDEASimulator.ServerKey?

    /// The fields of a challenge that have a place in its signed text.
    struct Texts {
        var nonce: String
        var url: String
        var serial: String
        var question: String
        var title: String
        var sslVerify: String
        var options: String?

        /// What is signed, joined by bars.
        var signed: String {
            ([nonce, url, serial, question, title, sslVerify] + [options].compactMap(\.self))
                .joined(separator: "|")
        }

        mutating func set(_ field: String, to value: String) {
            switch field {
            case "nonce": nonce = value
            case "url": url = value
            case "serial": serial = value
            case "question": question = value
            case "title": title = value
            case "sslverify": sslVerify = value
            case "require_presence": options = value
            default: break
            }
        }

        /// In the order in which the server writes them.
        var members: JSON.Object {
            var members: JSON.Object = [
                "nonce": .string(nonce), "question": .string(question),
                "serial": .string(serial), "title": .string(title),
                "sslverify": .string(sslVerify), "url": .string(url),
            ]
            if let options {
                members["require_presence"] = .string(options)
                members["version"] = "2"
            }
            return members
        }
    }

    /// The fields as push and poll carry them.
    func fields(_ texts: Texts) throws(PushError) -> JSON.Object {
        var signed = texts
        var shown = texts
        switch fault {
        case .signed(let field, let value):
            signed.set(field, to: value)
            shown = signed
        case .optionsInSSLVerify:
            shown.title += "|\(texts.sslVerify)"
            shown.sslVerify = texts.options ?? ""
            shown.options = nil
        case .titleReadAsOptions:
            signed.title += "|1|A,B"
            shown.options = "A,B|\(texts.sslVerify)"
        default: break
        }
        var members = shown.members
        let capabilities = try hasCapabilities ? signedCapabilities(shown.nonce) : nil
        members["signature"] = .string(
            fault == .signatureOfCapabilities
                ? capabilities?.signature ?? "" : try signature(over: signed.signed))
        if let capabilities {
            members["capabilities"] = .string(capabilities.text)
            members["capabilities_signature"] = .string(capabilities.signature)
        }
        switch fault {
        case .tampered(let field, let value): members[field] = value
        case .missing(let field): members[field] = nil
        default: break
        }
        return members
    }

    private func signature(over text: String) throws(PushError) -> String {
        switch fault {
        case .wrongKey: return Base32.encode(noKeysSignature)
        case .signedWithKey: return Base32.encode(try (otherKey ?? key).signature(over: text))
        case .pss: return Base32.encode(try key.signature(over: text, by: .pss))
        case .sha1: return Base32.encode(try key.signature(over: text, by: .sha1))
        case .signatureInBase64: return try key.signature(over: text).base64EncodedString()
        case .cutSignature: return Base32.encode(try key.signature(over: text).dropLast(5))
        case .emptySignature: return ""
        default: return Base32.encode(try key.signature(over: text))
        }
    }

    /// What the signature of a key looks like that nobody has.
    private var noKeysSignature: Data {
        Data([0]) + random.bytes(key.key.keySizeInBits / 8 - 1).withBytes { Data($0) }
    }

    /// A nonce that differs in its first letter alone.
    private func another(_ nonce: String) -> String {
        (nonce.hasPrefix("A") ? "B" : "A") + nonce.dropFirst()
    }

    /// The capabilities as the wire has them, with a space after the colon, and what they are signed
    /// as: their canonical form (RFC 8785) has none.
    private func signedCapabilities(
        _ nonce: String
    ) throws(PushError) -> (text: String, signature: String) {
        var object: JSON.Object = ["decline_reason": true]
        if case .capabilities(let other) = fault { object = other }
        let members = object.members.sorted {
            $0.name.utf16.lexicographicallyPrecedes($1.name.utf16)
        }
        let sorted = JSON.Object(members.map { ($0.name, $0.value) })
        let bound = fault == .capabilitiesOfAnotherNonce ? another(nonce) : nonce
        let canonical: JSON = ["capabilities": .object(sorted), "nonce": .string(bound)]
        let text = members.map { "\(JSON.string($0.name).text): \($0.value.text)" }
        let wire = "{\(text.joined(separator: ", "))}"
        guard fault != .wrongCapabilitiesSignature else {
            return (wire, Base32.encode(noKeysSignature))
        }
        return (wire, Base32.encode(try key.signature(over: canonical.text)))
    }
}
