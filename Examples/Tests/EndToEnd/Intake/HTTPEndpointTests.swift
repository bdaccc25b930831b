import Foundation
import HTTPTypes
import PushCore
import Testing

@testable import PushAuthCommand

struct HTTPEndpointTests {
    private let endpoint = HTTPEndpoint(secret: Secret("0123456789abcdef".utf8))

    private func step(
        _ changes: HTTPFields = [:], _ method: HTTPRequest.Method = .post, path: String = "/push",
        body: String = "{\"a\":1}"
    ) -> HTTPEndpoint.Step {
        var fields: HTTPFields = [
            .authorization: "Bearer 0123456789abcdef", .contentType: "application/json",
        ]
        for field in changes { fields[field.name] = field.value }
        let request = HTTPRequest(
            method: method, scheme: "http", authority: "x", path: path, headerFields: fields)
        return endpoint.step(for: request, Data(body.utf8))
    }

    private func refusal(_ step: HTTPEndpoint.Step) -> IntakeReply? {
        if case .refuse(let reply) = step { reply } else { nil }
    }

    @Test func `a push with the secret is taken as it is`() throws {
        guard
            case .take(let push) = step(
                [.contentType: "Application/JSON ; charset=utf-8"], path: "/push?x=1")
        else {
            Issue.record("It was refused.")
            return
        }
        #expect(push.message.content == ["a": 1])
        #expect(push.intake == "http")
    }

    @Test(arguments: [
        (#"{"token":"t","data":{"a":1}}"#, #"{"a":1}"#),
        (#"{"data":{"a":1}}"#, #"{"data":{"a":1}}"#),
        (#"{"token":1,"data":{"a":1}}"#, #"{"token":1,"data":{"a":1}}"#),
        (#"{"token":"t","data":"a"}"#, #"{"token":"t","data":"a"}"#),
        (#"{"token":"t","data":{"a":1},"b":2}"#, #"{"token":"t","data":{"a":1},"b":2}"#),
    ])
    func `what a gateway puts around a push is taken off`(body: String, push: String) throws {
        guard case .take(let taken) = step(body: body) else {
            Issue.record("It was refused.")
            return
        }
        #expect(taken.message.content == (try JSON(parsing: push)))
    }

    @Test(arguments: [
        "", "Bearer", "Bearer ", "Bearer 0123456789abcdeF", "Bearer 0123456789abcde",
        "Bearer 0123456789abcdef0", "Basic 0123456789abcdef", "0123456789abcdef",
    ])
    func `without the secret it is unauthorized`(_ credential: String) throws {
        let reply = try #require(refusal(step([.authorization: credential])))
        #expect(reply.status == .unauthorized)
        #expect(reply.headers[.wwwAuthenticate] == "Bearer error=\"invalid_token\"")
        #expect(reply.body?.text.contains("0123") == false)
    }

    @Test func `who sends no credential isn't told that it is wrong`() throws {
        let request = HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/push")
        let reply = try #require(refusal(endpoint.step(for: request, Data())))
        #expect(reply.status == .unauthorized)
        #expect(reply.headers[.wwwAuthenticate] == "Bearer")
    }

    @Test func `another path, method, type or body is refused`() throws {
        #expect(refusal(step(path: "/"))?.status == .notFound)
        let get = try #require(refusal(step([:], .get)))
        #expect(get.status == .methodNotAllowed)
        #expect(get.headers[.allow] == "POST")
        #expect(refusal(step([.contentType: "text/plain"]))?.status == .unsupportedMediaType)
        for body in ["", "[]", "{", "1", "{\"a\":1,\"a\":2}"] {
            #expect(refusal(step(body: body))?.status == .badRequest)
        }
    }

    @Test func `the sender hears what was made of its push`() {
        #expect(HTTPEndpoint.reply(.taken(2)).status == .accepted)
        #expect(HTTPEndpoint.reply(.taken(2)).body == ["verdict": "taken", "events": 2])
        #expect(HTTPEndpoint.reply(.taken(nil)).body == ["verdict": "taken"])
        #expect(HTTPEndpoint.reply(.foreign).status == .unprocessableContent)
        let forged = HTTPEndpoint.reply(.refused(.untrusted))
        #expect(forged.status == .unprocessableContent)
        #expect(forged.body == ["verdict": "refused", "why": "untrusted"])
        // Its sender may try again.
        #expect(HTTPEndpoint.reply(.refused(.unreachable)).status == .serviceUnavailable)
        #expect(HTTPEndpoint.reply(.refused(.storage)).status == .serviceUnavailable)
    }
}
