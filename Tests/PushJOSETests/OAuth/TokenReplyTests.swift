import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import Testing

struct TokenReplyTests {
    private func reply(
        _ body: String, status: Int = 200, type: String? = "application/json;charset=UTF-8",
        nonce: String? = nil
    ) throws(PushError) -> TokenReply {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.contentType] = type
        response.headerFields[.dpopNonce] = nonce
        return try TokenReply(response, Data(body.utf8))
    }

    private func token(_ body: String) throws -> AccessToken {
        guard case .token(let token) = try reply(body) else {
            throw PushError(.untrusted, "A token was expected.")
        }
        return token
    }

    private func members(_ changes: [String: JSON?]) -> String {
        var members: JSON.Object = [
            "access_token": "2YotnFZFEjr1zCsicMWpAA", "token_type": "DPoP", "expires_in": 300,
        ]
        for (name, value) in changes { members[name] = value }
        return JSON.object(members).text
    }

    @Test func `the reply of RFC 9449 section 5 is read`() throws {
        let token = try token(
            #"""
            {"access_token":"Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU","token_type":"DPoP",
             "expires_in":2677,"refresh_token":"Q..Zkm29lexi8VnWg2zPW1x-tgGad0Ibc3s3EwM_Ni4-g"}
            """#)
        #expect(token.kind == .dpop && token.lifetime == .seconds(2677))
        #expect(token.value.isEqualInConstantTime(to: RFC9449.accessToken))
        #expect(token.authorization == "DPoP Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
    }

    @Test(arguments: [
        ("Bearer", AccessToken.Kind.bearer), ("bearer", .bearer), ("BEARER", .bearer),
        ("dpop", .dpop), ("DPOP", .dpop),
    ])
    func `a token's type counts in any case`(type: String, kind: AccessToken.Kind) throws {
        #expect(try token(members(["token_type": .string(type)])).kind == kind)
    }

    @Test func `a lifetime may be missing, and counts for a day at most`() throws {
        #expect(try token(members(["expires_in": .none])).lifetime == nil)
        #expect(try token(members(["expires_in": 1])).lifetime == .seconds(1))
        #expect(try token(members(["expires_in": 86_401])).lifetime == .seconds(86_400))
        let bearer = try token(members(["token_type": "Bearer"]))
        #expect(bearer.authorization == "Bearer 2YotnFZFEjr1zCsicMWpAA")
    }

    @Test(
        arguments: [
            ("access_token", nil), ("access_token", ""), ("access_token", "a b"),
            ("access_token", "a\r\nX: y"), ("access_token", "é"), ("access_token", "=="),
            ("access_token", "a=b"), ("access_token", 7), ("access_token", .null),
            ("token_type", nil), ("token_type", "mac"), ("token_type", "Bearer "),
            ("token_type", "N_A"), ("token_type", 7), ("expires_in", 0), ("expires_in", -1),
            ("expires_in", "300"), ("expires_in", .bool(true)),
        ] as [(String, JSON?)])
    func `a reply that isn't the RFC's is nobody's word`(name: String, value: JSON?) {
        #expect(refusal { try reply(members([name: value])) } == .interrupted)
    }

    @Test func `what isn't a token endpoint's reply is nobody's word`() {
        for body in ["", "[]", "<html>", members([:]) + "x", members([:]).replacing("}", with: "")]
        {
            #expect(refusal { try reply(body) } == .interrupted)
            #expect(refusal { try reply(body, status: 400) } == .server(status: 400))
        }
        #expect(refusal { try reply(members([:]), type: "text/html") } == .interrupted)
        #expect(refusal { try reply(members([:]), status: 201) } == .interrupted)
        #expect(refusal { try reply(members([:]), status: 302) } == .server(status: 302))
        let large = members(["more": .string(String(repeating: "x", count: 64 * 1024))])
        #expect(refusal { try reply(large) } == .interrupted)
    }

    @Test func `a refusal has the code and the nonce of RFC 9449 section 8`() throws {
        let body = #"""
            {"error":"use_dpop_nonce",
             "error_description":"Authorization server requires nonce in DPoP proof"}
            """#
        guard
            case .refused(let refusal) = try reply(
                body, status: 400, nonce: "eyJ7S_zG.eyJH0-Z.HX4w-7v")
        else { throw PushError(.untrusted, "A refusal was expected.") }
        #expect(refusal.status == 400 && refusal.error == "use_dpop_nonce")
        #expect(refusal.nonce == "eyJ7S_zG.eyJH0-Z.HX4w-7v")
    }

    @Test func `a refusal's code is short and printable, its status the client's fault`() throws {
        let body = #"{"error":"invalid_client"}"#
        for status in [400, 401, 429] {
            guard case .refused(let refusal) = try reply(body, status: status) else {
                throw PushError(.untrusted, "A refusal was expected.")
            }
            #expect(refusal.status == status && refusal.error == "invalid_client")
            #expect(refusal.nonce == nil)
        }
        #expect(refusal { try reply(body, status: 503) } == .server(status: 503))
        #expect(refusal { try reply(body) } == .interrupted)
        for error in ["", "\u{1B}[2J", "é", String(repeating: "e", count: 65)] {
            let text = JSON.object(["error": .string(error)]).text
            #expect(refusal { try reply(text, status: 400) } == .server(status: 400))
        }
    }
}
