import CryptoExtras
import Foundation
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

extension Vectors {
    /// The examples of `Vectors/examples.json`.
    init() throws {
        let file = try Vectors("examples", in: Bundle.module.resourceURL)
        let texts = try #require(file["texts"]?.array)
        self.init(values: try #require(Self.resolved(.object(file.values), texts).object))
    }

    /// Puts in the texts that the file has once.
    private static func resolved(_ json: JSON, _ texts: [JSON]) -> JSON {
        switch json {
        case .string(let text):
            guard text.hasPrefix("$"), let index = Int(text.dropFirst()) else { return json }
            return texts.indices.contains(index) ? texts[index] : json
        case .array(let elements): return .array(elements.map { resolved($0, texts) })
        case .object(let object):
            return .object(
                JSON.Object(object.members.map { ($0.name, resolved($0.value, texts)) }))
        default: return json
        }
    }

    /// One of the keys: `device`, `otherDevice`, `server`, `otherServer`.
    func key(_ name: String) throws -> TestKey {
        try TestKey(#require(self["keys", name, "jwk"]))
    }

    /// The server's key as the device learns it.
    func serverKey(_ name: String = "server") throws -> ServerKey {
        try ServerKey(lines: text("keys", name, "pkcs1"))
    }

    /// The request with a name.
    func request(_ name: String) throws -> JSON {
        try #require(self["requests"]?.array?.first { $0["name"]?.string == name })
    }

    /// A push by its name, good or bad.
    func push(_ name: String) throws -> PushVector {
        try #require((PushVector.good + PushVector.bad).first { $0.name == name })
    }

    /// A recorded exchange, or what came between.
    func recorded(_ name: String) throws -> JSON {
        try #require(
            self["recording", "exchanges"]?.array?.first { $0["name"]?.string == name })
    }
}

/// One push, and what must become of it.
struct PushVector: Sendable, CustomTestStringConvertible {
    let name: String
    let expected: String
    let data: JSON

    var testDescription: String { name }

    static let good = all("good")
    static let bad = all("bad")

    private static func all(_ group: String) -> [PushVector] {
        let entries = (try? Vectors())?["pushes", group]?.array ?? []
        return entries.compactMap { entry in
            guard let name = entry["name"]?.string, let expected = entry["expected"]?.string,
                let data = entry["data"]
            else { return nil }
            return PushVector(name: name, expected: expected, data: data)
        }
    }

    func message() throws -> PushMessage { try PushMessage(json: data.data) }
}

/// A key pair that signs as a test wants.
struct TestKey: Sendable {
    private let key: _RSA.Signing.PrivateKey

    init(_ jwk: JSON) throws {
        func number(_ name: String) throws -> Data {
            let text = try #require(jwk[name]?.string)
            let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
            return try #require(Data(base64Encoded: base64 + padding))
        }
        key = try _RSA.Signing.PrivateKey(
            n: number("n"), e: number("e"), d: number("d"), p: number("p"), q: number("q"))
    }

    /// The same as a device's key.
    func deviceKey() throws -> DeviceKey { try DeviceKey(stored: Secret(key.derRepresentation)) }

    func signature(over text: String) throws -> String {
        let signature = try key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5)
        return Base32.encode(signature.rawRepresentation)
    }

    func verifies(_ signature: String, over text: String) -> Bool {
        guard let bytes = try? Base32.data(from: signature, as: .canonical) else { return false }
        return key.publicKey.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: bytes), for: Data(text.utf8),
            padding: .insecurePKCS1v1_5)
    }
}

/// A challenge as a server signs it, changed as a test wants.
struct SignedChallenge {
    var nonce = "J4HF7PBDCMIKVBKQBGVAPRHSQHGC6MCA"
    var question = "Log in as Ada?"
    var title = "Example Bank"
    var serial = "PIPU0001ABCD"
    var url = "https://pi.example.com/ttype/push"
    var presence: String?
    var sslverify = "1"

    /// The capabilities as an object's text; `nil` for a server that signs none.
    var capabilities: String? = #"{"decline_reason": true}"#

    func json(by key: TestKey) throws -> JSON {
        var parts = [nonce, url, serial, question, title, sslverify]
        if let presence { parts.append(presence) }
        var fields: JSON.Object = [
            "nonce": .string(nonce), "question": .string(question), "title": .string(title),
            "serial": .string(serial), "url": .string(url), "sslverify": .string(sslverify),
            "signature": .string(try key.signature(over: parts.joined(separator: "|"))),
        ]
        if let presence { fields["require_presence"] = .string(presence) }
        if let capabilities {
            let object = capabilities.replacing(": ", with: ":")
            let signed = #"{"capabilities":\#(object),"nonce":"\#(nonce)"}"#
            fields["capabilities"] = .string(capabilities)
            fields["capabilities_signature"] = .string(try key.signature(over: signed))
        }
        return .object(fields)
    }

    func message(by key: TestKey) throws -> PushMessage {
        try PushMessage(json: json(by: key).data)
    }
}
