import Foundation
import HTTPTypes
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

/// One-time codes, which the user types instead of answering the push.
struct CodeTests {
    typealias Verdict = PlusAuthSimulator.CodeVerdict

    @Test func `the codes of RFC 6238 log in`() async throws {
        for (time, code) in try Vectors("codes").values.members {
            let bench = Bench(at: try #require(Double(time)))
            try await bench.enrolled()
            let (login, _) = try await bench.login()
            let text = try #require(code.string)
            #expect(try await bench.tenant.submitCode(text, for: login.id) == .accepted)
            #expect(try await bench.status(login) == .approved)
        }
    }

    @Test(arguments: [
        ("415479", 0, Verdict.accepted), ("435223", 0, .accepted), ("973540", 0, .accepted),
        ("415479", 30, .incorrect), ("435223", 30, .accepted),
        ("973540", -30, .incorrect), ("435223", -30, .accepted), ("141873", 0, .incorrect),
        ("000000", 0, .incorrect),
    ])
    func `a code counts in its step and the ones beside it`(
        code: String, offset: Int, verdict: Verdict
    ) async throws {
        let bench = Bench(at: Bench.now + Double(offset))
        try await bench.enrolled()
        let (login, _) = try await bench.login()
        #expect(try await bench.tenant.submitCode(code, for: login.id) == verdict)
        #expect(try await bench.status(login) == (verdict == .accepted ? .approved : .waiting))
    }

    @Test func `a code counts once, and none before it afterwards`() async throws {
        let bench = Bench()
        try await bench.enrolled()
        #expect(try await submit(bench, "435223") == .accepted)
        #expect(try await submit(bench, "435223") == .alreadyUsed)
        #expect(try await submit(bench, "415479") == .alreadyUsed)
        #expect(try await submit(bench, "111111") == .incorrect)
        #expect(try await submit(bench, "973540") == .accepted)
    }

    @Test(arguments: ["", "12345678901", "12a456", "-35223", "４３５２２３", " 435223"])
    func `what isn't a number of digits is no code`(text: String) async throws {
        let bench = Bench()
        try await bench.enrolled()
        #expect(try await submit(bench, text) == .invalid)
    }

    @Test func `leading zeros may be missing, in text and in a number`() async throws {
        for body in [JSON.string("084774"), "84774", 84774] {
            let bench = Bench(at: 1_111_111_109)
            try await bench.enrolled()
            let (login, _) = try await bench.login()
            let path = try await bench.tenant.path(of: login.id) + "&useQuery=true"
            let reply = try await bench.send(.post, path, ["code": body, "other": "field"])
            #expect(reply.status == 302)
            #expect(try await bench.status(login) == .approved)
        }
    }

    @Test func `the page is told in its own words`() async throws {
        let bench = Bench()
        try await bench.enrolled()
        let (login, _) = try await bench.login()
        let page = try await bench.tenant.path(of: login.id)
        let (path, query) = ("\(page.split(separator: "?")[0])", page.split(separator: "?")[1])
        let target = "\(path)?useQuery=true&\(query)"
        let cases: [(JSON, String)] = [
            (["code": "111111"], "incorrect_code"), (["code": "x"], "invalid_code"),
            (["code": true], "invalid_code"), ([:], "invalid_code"),
            (["code": "435223"], ""), (["code": "973540"], "code_expired"),
        ]
        for (body, error) in cases {
            let reply = try await bench.send(.post, target, body)
            #expect(reply.error ?? "" == error)
            #expect(reply.status == (error.isEmpty ? 302 : 400))
        }
        let (second, _) = try await bench.login()
        let other = try await bench.tenant.path(of: second.id) + "&useQuery=true"
        #expect(try await bench.send(.post, other, ["code": "435223"]).error == "code_already_used")
    }

    @Test func `a code is the user's own, of any device, until it is removed`() async throws {
        let bench = Bench()
        try await bench.enrolled(.another("a"))
        try await bench.enrolled(.another("b"))
        await bench.tenant.configure { $0.random = SeededRandom(seed: 1) }
        try await bench.enrolled(for: "john")
        let (login, _) = try await bench.login("john")
        #expect(try await bench.tenant.submitCode("435223", for: login.id) == .incorrect)

        for _ in 0..<2 { #expect(try await submit(bench, "435223") == .accepted) }
        #expect(try await submit(bench, "435223") == .alreadyUsed)
        let last = try #require(await bench.tenant.devices(of: "ada@example.com").last)
        try await bench.tenant.removeCredential(last.id)
        #expect(try await submit(bench, "973540") == .accepted)
        #expect(try await submit(bench, "973540") == .alreadyUsed)
    }

    @Test(arguments: [false, true])
    func `whether a code counts before enrollment is the tenant's choice`(
        accepts: Bool
    ) async throws {
        let bench = Bench { $0.acceptsCodesBeforeEnrollment = accepts }
        let login = try await bench.tenant.openPage(for: "ada@example.com", asking: .confirm)
        let verdict = try await bench.tenant.submitCode("435223", for: login.id)
        #expect(verdict == (accepts ? .accepted : .incorrect))
        #expect(try await bench.status(login) == (accepts ? .approved : .waiting))
        let other = try await bench.tenant.openPage(for: "john", asking: .confirm)
        bench.clock.advance(by: .seconds(600))
        #expect(try await bench.tenant.submitCode("435223", for: other.id) == .over)
    }

    @Test func `a code that counted before enrollment doesn't count after it`() async throws {
        let bench = Bench { $0.acceptsCodesBeforeEnrollment = true }
        let login = try await bench.tenant.openPage(for: "ada@example.com", asking: .confirm)
        #expect(try await bench.tenant.submitCode("435223", for: login.id) == .accepted)
        #expect(try await bench.enroll(Phone(), bench.ticket(on: login)).status == 200)
        #expect(try await submit(bench, "435223") == .alreadyUsed)
        #expect(try await submit(bench, "973540") == .accepted)
    }

    private func submit(_ bench: Bench, _ code: String) async throws -> Verdict {
        try await bench.tenant.submitCode(code, for: bench.login().login.id)
    }
}
