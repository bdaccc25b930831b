import Crypto
import Foundation
import PushCore
import PushJOSE

@testable import PushXignIn
@testable import PushXignInReference

extension Inner {
    /// Reads an answer of a manager; and the same bytes as the claims, and as the data, of one that
    /// the manager signed.
    ///
    /// The key is that of the worked example, which no manager has:
    /// `Tests/PushXignInTests/Vectors/worked-example.json`.
    public static func oxrwReply(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        guard let manager = try? ExampleManager() else { return "the example can be read" }
        let input = Data(bytes)
        for status in [200, 409] {
            if let broken = manager.checked(input, status) { return broken }
            let claims =
                Data(#"{"iss":"idm-demo-1","aud":"act-5f2c1b","req":"req-0001","#.utf8)
                + Data(#""st":\#(status),"iat":1767225630,"exp":1767225690,"data":"#.utf8)
            for payload in [input, claims + input + Data("}".utf8)] {
                guard let body = try? manager.signed(payload) else { continue }
                if let broken = manager.checked(body, status) { return broken }
            }
        }
        return nil
    }
}

/// A manager, and what a device keeps of it.
private struct ExampleManager {
    private let key: ES256PrivateKey
    private let record: ActivationRecord

    init() throws(PushError) {
        key = try ES256PrivateKey(
            Base64.secret(from: "BtdUhIvYLcoFo7Q1yYj2Tb-_5WcJM17qDJCd62FYPKc", as: .url))
        let name = try key.publicKey.thumbprint
        let fields: JSON.Object = [
            "idm": "idm-demo-1", "mgr": "https://manager.xignin.example",
            "activation": "act-5f2c1b",
            "keys": .object([name: .string(Base64.encode(key.publicKey.point, as: .url))]),
        ]
        let none = Secret([])
        record = try ActivationRecord(
            reading: Secret.Record(fields: fields, secrets: [key.secret, none, none]).sealed)
    }

    func signed(_ payload: Data) throws(PushError) -> Data {
        let name = try key.publicKey.thumbprint
        return Data(
            try key.compactJWS(
                of: payload,
                header: [
                    "alg": "ES256", "typ": "oxrw-res+jwt", "kid": .string(name),
                    "idm": "idm-demo-1",
                ]
            ).utf8)
    }

    func checked(_ body: Data, _ status: Int) -> StaticString? {
        let question = ProvedReply.Question(id: "req-0001", issuer: "act-5f2c1b")
        let reply: ProvedReply
        do throws(PushError) {
            reply = try ProvedReply(status: status, body: body, to: question, from: record)
        } catch {
            let isExpected = [.untrusted, .malformed].contains(error.code)
            return isExpected ? nil : "what isn't taken is untrusted or malformed"
        }
        guard let claims = told(body) else { return "only what the manager signed is an answer" }
        guard claims["iss"] as? String == "idm-demo-1", claims["aud"] as? String == "act-5f2c1b",
            claims["req"] as? String == "req-0001", claims["st"] as? Int == status,
            claims["data"] is [String: Any]
        else { return "others read an answer to this request, too" }
        guard (try? reply.meaning) != nil || status != 200 else { return "200 is no refusal" }
        if case .failure? = try? reply.meaning { return nil }
        return readers(reply.data)
    }

    /// What the calls read in an answer.
    private func readers(_ data: Claims) -> StaticString? {
        if let keys = try? ManagerKeys.read(data) {
            guard keys.allSatisfy({ name, key in (try? key.thumbprint) == name }),
                data.signer.map({ keys[$0] != nil }) == true
            else { return "keys have their own names, and the signer's is among them" }
        }
        if let finding = request(data) { return finding }
        if let text = try? TransactionText.checked(data) {
            let stated = data.members["transaction"]?["sha256"]?.string
            let hash = Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            guard stated == hash else { return "a text to sign has its hash" }
        }
        if let service = try? ServiceInformation(data) {
            guard (1...128).contains(service.id.utf8.count) else { return "a service has a name" }
        }
        guard let result = try? data.object("result") else { return nil }
        for call in [AnswerBody.Call.finish, .reject] {
            _ = try? AnswerBody(call: call, body: [:]).verdict(in: result)
        }
        return nil
    }

    /// What a process asks.
    private func request(_ data: Claims) -> StaticString? {
        guard let service = try? ServiceInformation(data),
            let organization = try? OrganizationInformation(data)
        else { return nil }
        let process = Challenge.ID("prc-1", of: Enrollment.ID("idm-demo-1", of: "xignin"))
        var request = AuthenticateRequest(
            of: process, expiresAt: Date(timeIntervalSince1970: 0), service: service,
            organization: organization, context: Secret([]))
        if let roles = try? data.array("roles") { request.readRoles(roles) }
        if let members = try? data.object("info").members { request.readAttributes(members) }
        guard Set(request.roles.map(\.id)).count == request.roles.count else {
            return "no role is there twice"
        }
        let names = request.info.attributes.map { Array($0.name.utf8) }
        return Set(names).count == names.count ? nil : "no attribute is there twice"
    }

    /// The claims of what the manager signed, told without the SDK; `nil` for anything else.
    private func told(_ body: Data) -> [String: Any]? {
        let parts = String(decoding: body, as: UTF8.self)
            .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let decoded = parts.compactMap { part in
            let text = part.replacing("-", with: "+").replacing("_", with: "/")
            return Data(
                base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
        }
        guard decoded.count == 3, parts.count == 3,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: decoded[2]),
            key.key.publicKey.isValidSignature(
                signature, for: Data("\(parts[0]).\(parts[1])".utf8))
        else { return nil }
        return try? JSONSerialization.jsonObject(with: decoded[1]) as? [String: Any]
    }
}
