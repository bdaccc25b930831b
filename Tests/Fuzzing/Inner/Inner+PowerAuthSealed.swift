import Crypto
import Foundation
import PushCore

@testable import PushPowerAuth

extension Inner {
    private static let key = Secret(Array(0..<16))
    static let nonce = [UInt8](16..<32)
    private static let activationID = "6ae8cd16-67a7-4840-8d37-33d9aab6ea51"

    /// What a temporary key has to be the answer to.
    private static let request = server.flatMap { server in
        try? TemporaryKeyRequest(
            .activation(
                PowerAuthApplication(
                    key: "lbNrg+B157tbojC487941A==",
                    secret: Secret("5to+u5pcUeAl7GPu7fNmug==".utf8),
                    masterPublicKey: server.point.uncompressed),
                activationID: activationID, transportKey: key),
            challenge: "AAECAwQFBgcICQoLDA0ODxAR")
    }

    /// Reads the first 32 bytes as a status; and those that a server sealed.
    public static func powerAuthStatus(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        guard bytes.count >= 32 else { return nil }
        let (input, salt) = (Data(bytes[..<32]), Data(nonce))
        guard let counter = try? SignatureCounter(data: key),
            let vector = try? ActivationStatusBlob.vector(
                challenge: salt, nonce: salt, transportKey: key),
            let sealed = try? BlockCipher.encrypt(
                Secret(input), key: key, iv: vector, padding: false)
        else { return "a status can be sealed" }
        for text in [input, Data(sealed)] {
            let blob: ActivationStatusBlob
            do throws(PushError) {
                blob = try ActivationStatusBlob(
                    opening: text, challenge: salt, nonce: salt, transportKey: key)
            } catch {
                guard error.code == .untrusted else { return "what isn't a status is untrusted" }
                continue
            }
            guard (0...255).contains(blob.attemptsLeft), (1...64).contains(blob.lookAhead),
                text != Data(sealed) || input.starts(with: [0xDE, 0xC0, 0xDE])
            else { return "a status has its mark, and bounds" }
            guard let sync = try? CounterSync(local: counter, blob: blob, transportKey: key) else {
                return "counters can be compared"
            }
            if case .serverAhead(let steps) = sync, !(1..<64).contains(steps) {
                return "a server is ahead by few steps"
            }
        }
        return nil
    }

    /// Reads a text as an envelope, which no text can be; and the same bytes as what a server seals.
    public static func powerAuthEnvelope(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        // One of three, as the mutations change the length, too.
        let versions = PowerAuthVersion.allCases
        let version = versions[bytes.count % versions.count]
        guard let context = try? context(version) else { return "there are keys" }
        let opener = ResponseOpener(context, requestNonce: nonce)
        if let json = try? JSON(parsing: Data(bytes)) {
            do throws(PushError) {
                _ = try opener.open(json)
                return "only the server's envelope is opened"
            } catch {
                guard error.code == .untrusted else { return "all else is untrusted" }
            }
        }
        guard let envelope = try? sealed(Secret(bytes), context),
            let opened = try? opener.open(envelope)
        else { return "the server's envelope is opened" }
        guard opened.isEqualInConstantTime(to: Secret(bytes)) else {
            return "what was sealed comes out"
        }
        if let broken = checkedToken(opened) { return broken }
        return checkedActivation(envelope, context, opener, bytes)
    }

    private static func checkedToken(_ reply: Secret) -> StaticString? {
        let token: AccessToken
        do throws(PushError) {
            token = try AccessToken(reading: reply)
        } catch {
            return error.code == .malformed ? nil : "what brings no token is malformed"
        }
        let header = token.header(version: .v3_3, nonce: nonce, timestamp: .now)
        guard header.contains("token_id=\"\(token.id)\""),
            header.utf8.count(where: { $0 == UInt8(ascii: "\"") }) == 10
        else { return "a token's header has five values, and the token's own" }
        return nil
    }

    private static func checkedActivation(
        _ inner: JSON, _ context: EnvelopeContext, _ opener: ResponseOpener,
        _ bytes: UnsafeRawBufferPointer
    ) -> StaticString? {
        let data = JSON.object(["activationData": inner]).data
        guard let outer = try? sealed(Secret(data), context) else { return "it can be sealed" }
        let reply: ActivationReply
        do throws(PushError) {
            reply = try ActivationReply(outer, .init(outer: opener, inner: opener))
        } catch {
            return error.code == .malformed ? nil : "what is no activation is malformed"
        }
        let members = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        guard members?["activationId"] as? String == reply.activationID,
            members?["ctrData"] as? String
                == reply.counter.withBytes({ Data($0).base64EncodedString() }),
            (try? HeaderText.write([("activation_id", reply.activationID)])) != nil
        else { return "others read the same activation, and a header can name it" }
        return nil
    }

    static func context(_ version: PowerAuthVersion) throws -> EnvelopeContext {
        try [UInt8](0..<48).withUnsafeBytes { bytes in
            EnvelopeContext(
                version: version, keys: try EnvelopeKeys(bytes), sharedInfo2: nonce + nonce,
                associatedData: nonce)
        }
    }

    static func sealed(_ plain: Secret, _ context: EnvelopeContext) throws -> JSON {
        let freshness = EnvelopeContext.Freshness(nonce: nonce, timestamp: 1_780_000_000_000)
        let (data, mac) = try context.seal(plain, freshness, ephemeral: [])
        var members: JSON.Object = [
            "encryptedData": .string(Data(data).base64EncodedString()),
            "mac": .string(Data(mac).base64EncodedString()),
        ]
        if context.version != .v3_1 {
            members["nonce"] = .string(Data(nonce).base64EncodedString())
            members["timestamp"] = .number(.init(freshness.timestamp))
        }
        return .object(members)
    }

    /// Reads a text as what brings a temporary key; and the same bytes as the claims of what the
    /// server signed.
    public static func powerAuthTemporaryKey(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        guard let server, let request else { return "there is a server, and a question" }
        var texts = [String(decoding: bytes, as: UTF8.self)]
        // Anything else is no JWT at all, which `FuzzJWT` reads.
        if (try? JSON(parsing: Data(bytes))) != nil {
            guard let signed = try? server.jwt(Data(bytes)) else { return "claims can be signed" }
            texts.append(signed)
        }
        for text in texts {
            let key: TemporaryKey
            do throws(PushError) {
                key = try request.key(from: text, signedBy: server.point, sent: .seconds(5))
            } catch {
                guard [.untrusted, .malformed].contains(error.code) else {
                    return "what is no temporary key is untrusted or malformed"
                }
                continue
            }
            guard let claims = server.claims(text),
                claims["applicationKey"] as? String == request.scope.application.key,
                claims["activationId"] as? String == activationID,
                claims["challenge"] as? String == request.challenge,
                claims["sub"] as? String == key.key.id
            else { return "only the server's answer to this question is taken" }
            guard key.end > .seconds(5) else { return "a key lives" }
        }
        return nil
    }
}

extension ExampleServer {
    func jwt(_ claims: Data) throws -> String {
        let input = [Data(#"{"alg":"ES256","typ":"JWT"}"#.utf8), claims].map(Self.url)
            .joined(separator: ".")
        return input + "." + Self.url(try key.signature(for: Data(input.utf8)).rawRepresentation)
    }

    /// The claims of what the server signed, told without the SDK.
    func claims(_ jwt: String) -> [String: Any]? {
        let parts = jwt.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Self.data(parts[2]),
            let read = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.publicKey.isValidSignature(read, for: Data("\(parts[0]).\(parts[1])".utf8)),
            let body = Self.data(parts[1])
        else { return nil }
        return try? JSONSerialization.jsonObject(with: body) as? [String: Any]
    }

    private static func url(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func data(_ url: Substring) -> Data? {
        let text = url.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}
