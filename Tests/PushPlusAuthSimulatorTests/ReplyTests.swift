import Foundation
import HTTPTypes
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

struct ReplyTests {
    @Test func `an error's status is text, a number, or not JSON at all`() async throws {
        for form in PlusAuthSimulator.Configuration.ErrorBody.allCases {
            let bench = Bench { $0.errorBody = form }
            let reply = try await bench.send(.post, Bench.enroll, [:])
            #expect(reply.status == 401)
            guard form != .plainText else {
                #expect(reply.json == nil)
                #expect(reply.headers[.contentType] == "text/plain")
                continue
            }
            #expect(reply.headers[.contentType] == "application/json")
            #expect(
                reply.json?.object?.members.map(\.name) == [
                    "error", "error_description", "status",
                ])
            #expect(reply.error == "missing_token")
            #expect(reply.json?["status"] == (form == .statusAsText ? "401" : 401))
        }
    }

    @Test func `success has an empty object as body`() async throws {
        let bench = Bench()
        let reply = try await bench.enroll(Phone(), bench.ticket())
        #expect(reply.status == 200)
        #expect(reply.json == [:])
    }

    @Test(arguments: [
        (400, "invalid_request"), (401, "unauthorized_user"), (402, "plan_limit_exceeded"),
        (404, "entity_not_found"), (409, "already_exists"), (422, "invalid_entity"),
        (429, "too_many_requests"), (500, "server_error"), (503, "server_error"),
    ])
    func `any documented error can be forced, without effect`(
        status: Int, error: String
    ) async throws {
        let bench = Bench()
        let ticket = try await bench.ticket()
        await bench.tenant.force(status: status, times: 2, retryAfter: 7)
        for _ in 0..<2 {
            let reply = try await bench.enroll(Phone(), ticket)
            #expect(reply.status == status)
            #expect(reply.error == error)
            #expect(reply.headers[.retryAfter] == "7")
        }
        #expect(try await bench.enroll(Phone(), ticket).status == 200)
    }

    @Test func `a stranger can reply instead, without effect`() async throws {
        let bench = Bench()
        let ticket = try await bench.ticket()
        await bench.tenant.forceStranger(status: 403, times: 2)
        await bench.tenant.forceStranger(status: 200, page: "{}", type: "application/json")
        for _ in 0..<2 {
            let reply = try await bench.enroll(Phone(), ticket)
            #expect(reply.status == 403)
            #expect(reply.json == nil)
            #expect(reply.headers[.contentType] == "text/html")
        }
        let last = try await bench.enroll(Phone(), ticket)
        #expect(last.status == 300)
        #expect(last.json == [:])
        #expect(try await bench.enroll(Phone(), ticket).status == 200)
    }

    @Test func `a status that isn't an error becomes one`() async throws {
        let bench = Bench()
        await bench.tenant.force(status: 200)
        await bench.tenant.force(status: 1000)
        await bench.tenant.force(status: 500, times: -1)
        #expect(try await bench.send(.get, "/").status == 300)
        let last = try await bench.send(.get, "/")
        #expect(last.status == 599)
        #expect(last.headers[.retryAfter] == nil)
        #expect(try await bench.send(.get, "/").status == 404)
    }

    @Test func `too many requests in a second have to wait, to the second`() async throws {
        let bench = Bench { $0.rateLimit = .init(perSecond: 2, perMinute: 100) }
        #expect(try await bench.send(.get, "/").status == 404)
        bench.clock.advance(by: .milliseconds(400))
        #expect(try await bench.send(.get, "/").status == 404)
        let limited = try await bench.send(.get, "/")
        #expect(limited.status == 429)
        #expect(limited.error == "too_many_requests")
        #expect(limited.headers[.retryAfter] == "1")
        bench.clock.advance(by: .milliseconds(650))
        #expect(try await bench.send(.get, "/").status == 404)
        #expect(try await bench.send(.get, "/").status == 429)
    }

    @Test func `too many requests in a minute have to wait longer`() async throws {
        let bench = Bench { $0.rateLimit = .init(perSecond: 10, perMinute: 3) }
        for _ in 0..<3 {
            #expect(try await bench.send(.get, "/").status == 404)
            bench.clock.advance(by: .seconds(5))
        }
        #expect(try await bench.send(.get, "/").headers[.retryAfter] == "45")
        bench.clock.advance(by: .seconds(44))
        #expect(try await bench.send(.get, "/").status == 429)
        bench.clock.advance(by: .seconds(2))
        #expect(try await bench.send(.get, "/").status == 404)
        #expect(try await bench.send(.get, "/").status == 429)
    }

    @Test func `exchanges are recorded as they came`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let push = try await bench.login().push
        let body = try phone.answer(["response": "accepted"])
        _ = try await bench.answer(body, push.token)
        let exchanges = await bench.tenant.exchanges
        #expect(exchanges.map(\.status) == [200, 200])
        #expect(exchanges.map(\.request.path) == [Bench.enroll, Bench.resolve])
        #expect(exchanges.first?.request.headerFields[.userAgent] == phone.userAgent)
        #expect(exchanges.last?.body == body.data)
    }

    @Test func `equal seeds make equal tenants`() async throws {
        var transcripts: [[Data]] = []
        for _ in 0..<2 {
            let bench = Bench { $0.random = SeededRandom(seed: 11) }
            var transcript = [Data(try await bench.tenant.enrollmentURI(for: "ada").utf8)]
            try await bench.enrolled(Phone(.rsa))
            for kind in [SimulatedLogin.Kind.confirm, .number] {
                for fault in [nil, PlusAuthSimulator.BadPush.wrongKey] {
                    let login = try await bench.tenant.startLogin(
                        of: "ada@example.com", asking: kind, spoiledBy: fault)
                    transcript.append(Data(login.id.utf8))
                    transcript += await bench.tenant.takePushes().map(\.payload)
                }
            }
            transcripts.append(transcript)
        }
        #expect(transcripts[0] == transcripts[1])
        #expect(transcripts[0].count == 9)
    }
}
