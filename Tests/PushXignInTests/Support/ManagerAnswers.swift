import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore

extension Manager {
    /// What becomes of a call.
    enum Twist: Sendable {
        /// It's refused and not processed.
        case refused(Refusal)
        /// It's refused and not processed, and the answer is spoiled on its way.
        case refusedAndSpoiled(Refusal, Spoil)
        /// It's processed, and the answer is spoiled on its way.
        case spoiled(Spoil)
        /// It's processed, and the manager says something else in its own name.
        case changed(@Sendable (inout JSON.Object) -> Void)
        /// It isn't processed, and a gateway says so.
        case busy(Int)
        /// A stranger answers in the manager's place, who may have processed it.
        case replaced(Int, Stranger, processed: Bool)
    }

    /// What can be wrong with an answer.
    enum Spoil: Sendable, CaseIterable {
        case altered, unsigned, otherRequest, otherStatus, otherStatusClaim, otherAudience
        case otherIssuer, otherHeader, otherKey, otherKeyID, otherType, noAlgorithm, noKeyID
        case embeddedKey, critical, padded, twice, fraction, noRequest, noStatus, noIssue, notJSON
    }

    func signed(
        _ request: Request, _ refusal: Refusal, _ spoil: Spoil?
    ) -> (response: HTTPResponse, body: Data) {
        var data: JSON.Object = ["error": .string(refusal.name), "message": "No."]
        for (name, value) in refusal.extra.members { data[name] = value }
        return answer(request, refusal.status, data, spoil)
    }

    func unsigned(_ status: Int, _ name: String) -> (response: HTTPResponse, body: Data) {
        let body: JSON = ["error": .string(name), "message": "No."]
        let fields: HTTPFields = [.contentType: "application/json"]
        return (HTTPResponse(status: .init(code: status), headerFields: fields), body.data)
    }

    func answer(
        _ request: Request, _ status: Int, _ data: JSON.Object, _ spoil: Spoil?
    ) -> (response: HTTPResponse, body: Data) {
        if case .unsigned = spoil {
            let body = JSON.object(data).data
            let fields: HTTPFields = [.contentType: "application/json"]
            return (HTTPResponse(status: .init(code: status), headerFields: fields), body)
        }
        let issued = JSON.number(.init(Int64(now)))
        var token = Token(
            header: [
                "alg": "ES256", "typ": "oxrw-res+jwt",
                "kid": .string(signer.publicKey.thumbprint), "idm": .string(idm),
            ],
            claims: [
                "iss": .string(idm), "aud": request.claims["iss"] ?? .null,
                "req": request.claims["jti"] ?? .null, "st": .number(.init(Int64(status))),
                "iat": issued, "exp": .number(.init(Int64(now + 60))), "data": .object(data),
            ])
        bend(&token, spoil)
        let key: SigningKey = if case .otherKey = spoil { SigningKey() } else { signer }
        var text = (try? token.signed(by: key)) ?? ""
        garble(&text, token, spoil)
        let code = if case .otherStatus = spoil { status == 200 ? 409 : 200 } else { status }
        let fields: HTTPFields = [.contentType: "application/jose"]
        return (
            HTTPResponse(status: .init(code: code), headerFields: fields), Data(text.utf8)
        )
    }

    private func bend(_ token: inout Token, _ spoil: Spoil?) {
        switch spoil {
        case .otherRequest: token.claims["req"] = "req-of-another-request-00000000"
        case .otherStatusClaim: token.claims["st"] = 202
        case .otherAudience: token.claims["aud"] = "act-of-another"
        case .otherIssuer: token.claims["iss"] = "idm-other"
        case .otherHeader: token.header["idm"] = "idm-other"
        case .otherKeyID: token.header["kid"] = .string(SigningKey().publicKey.thumbprint)
        case .otherType: token.header["typ"] = "oxrw-push+jwt"
        case .noKeyID: token.header["kid"] = nil
        case .noAlgorithm: token.header["alg"] = "none"
        case .embeddedKey: token.header["jwk"] = .object(signer.publicKey.jwk)
        case .critical: token.header["crit"] = ["exp"]
        case .noRequest: token.claims["req"] = nil
        case .noStatus: token.claims["st"] = nil
        case .noIssue: token.claims["iat"] = nil
        default: break
        }
    }

    private func garble(_ text: inout String, _ token: Token, _ spoil: Spoil?) {
        let parts = text.split(separator: ".").map(String.init)
        let claims = JSON.object(token.claims).text
        let header = JSON.object(token.header).text
        switch spoil {
        case .altered:
            var other = token
            other.claims["data"] = ["pid": "prc-other", "result": ["type": "rejected"]]
            text = "\(parts[0]).\(base64url(JSON.object(other.claims).text)).\(parts[2])"
        case .noAlgorithm: text = "\(parts[0]).\(parts[1])."
        case .padded: text += "=="
        case .twice:
            let twice = claims.dropLast() + #","st":200,"st":200}"#
            text = (try? Token.signed(header, String(twice), by: signer)) ?? ""
        case .fraction:
            let bent = claims.replacingOccurrences(of: #""iat":\#(now)"#, with: #""iat":\#(now).5"#)
            text = (try? Token.signed(header, bent, by: signer)) ?? ""
        case .notJSON: text = (try? Token.signed(header, "hello", by: signer)) ?? ""
        default: break
        }
    }
}

/// What happens elsewhere while a call is on its way.
extension Manager {
    struct Aside: Sendable {
        enum Moment: Sendable { case before, after }

        let call: Call
        let moment: Moment
        let body: @Sendable () async -> Void
    }

    /// Something happens while the next such call is on its way to the manager.
    func before(_ call: Call, _ body: @escaping @Sendable () async -> Void) {
        asides.append(Aside(call: call, moment: .before, body: body))
    }

    /// Something happens while the answer to the next such call is on its way back.
    func after(_ call: Call, _ body: @escaping @Sendable () async -> Void) {
        asides.append(Aside(call: call, moment: .after, body: body))
    }

    func meanwhile(before request: HTTPRequest) async { await meanwhile(.before, request) }

    func meanwhile(after request: HTTPRequest) async { await meanwhile(.after, request) }

    private func meanwhile(_ moment: Aside.Moment, _ request: HTTPRequest) async {
        let call = Self.call(request.method.rawValue, request.path ?? "")
        guard let index = asides.firstIndex(where: { $0.call == call && $0.moment == moment })
        else { return }
        await asides.remove(at: index).body()
    }
}
