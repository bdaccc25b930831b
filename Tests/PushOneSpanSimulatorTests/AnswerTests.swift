import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct AnswerTests {
    typealias Method = OneSpanSimulator.AuthenticationMethod

    @Test(arguments: [Method.none, .password, .biometric])
    func `a yes with the method asked for logs in`(method: Method) async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.login(method: method)
        #expect(try await bench.server.status(of: request) == .waiting)
        let fetched = try await bench.fetch(request, by: &phone)
        #expect(fetched.fields[0x22] == [method.rawValue])
        #expect(fetched.text(0x20) == request)
        #expect(fetched.text(0x25) == "Sign in to Example Bank")
        let result = try await bench.answer(Draft(to: fetched), by: &phone)
        #expect(result.type == 0x24)
        #expect(result.state == 2)
        #expect(result.isDecidedHere == true)
        #expect(result.text(0x20) == request)
        #expect(result.attemptsLeft == nil)
        #expect(try await bench.server.status(of: request) == .approved)
        let decision = try #require(await bench.server.session(request)?.decision)
        #expect(decision.isApproved)
        #expect(decision.method == method)
        #expect(decision.device == hex(phone.id))
    }

    @Test func `a no needs no authentication and ends the session as refused`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.transaction()
        let fetched = try await bench.fetch(request, by: &phone, isTransaction: true)
        let result = try await bench.answer(.refusing(fetched), by: &phone)
        #expect(result.type == 0x34)
        #expect(result.state == 3)
        #expect(result.isDecidedHere == true)
        #expect(try await bench.server.status(of: request) == .denied)
    }

    @Test func `the password may stand in for biometry, and nothing else for anything`()
        async throws
    {
        for asked in Method.allCases {
            for used in Method.allCases where used != asked {
                let bench = Bench()
                var phone = try await bench.activated()
                let request = try await bench.login(method: asked)
                var draft = try Draft(to: await bench.fetch(request, by: &phone))
                draft.method = used.rawValue
                let result = try await bench.answer(draft, by: &phone)
                if asked == .biometric, used == .password {
                    #expect(result.state == 2)
                    #expect(await bench.server.session(request)?.decision?.method == .password)
                } else {
                    #expect(result.code == -1600, "\(used) for \(asked)")
                    #expect(try await bench.server.status(of: request) == .waiting)
                }
            }
        }
    }

    @Test func `three wrong passwords fail the session, and say how many are left`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.login()
        let fetched = try await bench.fetch(request, by: &phone)
        var wrong = try Draft(to: fetched)
        wrong.spoilsResponse = true
        for left: UInt8 in [2, 1] {
            let result = try await bench.answer(wrong, by: &phone)
            #expect(result.state == 1)
            #expect(result.attemptsLeft == left)
            #expect(result.isDecidedHere == false)
        }
        let last = try await bench.answer(wrong, by: &phone)
        #expect(last.state == 5)
        #expect(last.isDecidedHere == true)
        #expect(last.attemptsLeft == nil)
        #expect(try await bench.server.status(of: request) == .failed)
        let right = try await bench.answer(Draft(to: fetched), by: &phone)
        #expect(right.state == 5)
        #expect(right.isDecidedHere == false)
    }

    @Test func `a wrong password may be corrected in the same flow`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.login()
        let fetched = try await bench.fetch(request, by: &phone)
        var wrong = try Draft(to: fetched)
        wrong.spoilsResponse = true
        _ = try await bench.answer(wrong, by: &phone)
        #expect(try await bench.answer(Draft(to: fetched), by: &phone).state == 2)
    }

    @Test func `five wrong responses in a row lock the user, a right one ends the row`()
        async throws
    {
        let bench = Bench { $0.wrongResponsesPerSession = 100 }
        var phone = try await bench.activated()
        func answer(right: Bool) async throws -> Opened {
            let fetched = try await bench.fetch(try await bench.login(), by: &phone)
            var draft = try Draft(to: fetched)
            draft.spoilsResponse = !right
            return try await bench.answer(draft, by: &phone)
        }
        for _ in 0..<4 { #expect(try await answer(right: false).state == 1) }
        #expect(try await answer(right: true).state == 2)
        for left: UInt8 in [4, 3, 2, 1] {
            #expect(try await answer(right: false).attemptsLeft == left)
        }
        #expect(await bench.server.isLocked("alice") == false)
        let fetched = try await bench.fetch(try await bench.login(), by: &phone)
        var wrong = try Draft(to: fetched)
        wrong.spoilsResponse = true
        let last = try await bench.answer(wrong, by: &phone)
        #expect(last.state == 5)
        #expect(await bench.server.isLocked("alice"))
        #expect(try await bench.answer(Draft(to: fetched), by: &phone).code == -1101)
        await #expect(throws: PushError.self) { try await bench.login() }
        try await bench.server.unlock("alice")
        #expect(try await answer(right: true).state == 2)
    }

    @Test(arguments: [false, true])
    func `a wrong signature or digest is refused with proof, and counts`(
        isTransaction: Bool
    ) async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = isTransaction ? try await bench.transaction() : try await bench.login()
        let fetched = try await bench.fetch(request, by: &phone, isTransaction: isTransaction)
        var changes: [(inout Draft) -> Void] = []
        changes.append { $0.spoilsSignature = true }
        changes.append { $0.digest = sha([0]) }
        for change in changes {
            var draft = try Draft(to: fetched)
            change(&draft)
            let result = try await bench.answer(draft, by: &phone)
            #expect(result.code == (isTransaction ? -1700 : -1600))
        }
        var draft = try Draft.refusing(fetched)
        draft.spoilsSignature = true
        _ = try await bench.answer(draft, by: &phone)
        #expect(try await bench.server.status(of: request) == .failed)
    }

    @Test func `an answer that contradicts itself isn't understood`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.login()
        let fetched = try await bench.fetch(request, by: &phone)
        var changes: [(inout Draft) -> Void] = []
        changes.append { $0.hasResponse = false }
        changes.append { $0.decision = 2 }
        changes.append { $0.method = 3 }
        changes.append {
            $0.decision = 0
            $0.method = 0
            $0.hasResponse = true
        }
        for change in changes {
            var draft = try Draft(to: fetched)
            change(&draft)
            #expect(try await bench.answer(draft, by: &phone).code == -1002)
        }
        #expect(try await bench.answer(Draft(to: fetched), by: &phone).state == 2)
    }

    @Test func `a no by any method but none is refused`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let fetched = try await bench.fetch(try await bench.login(), by: &phone)
        var draft = try Draft.refusing(fetched)
        draft.method = 1
        #expect(try await bench.answer(draft, by: &phone).code == -1600)
    }

    @Test func `after a minute a session has timed out, for the page and for the phone`()
        async throws
    {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.login()
        let fetched = try await bench.fetch(request, by: &phone)
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.server.status(of: request) == .waiting)
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.server.status(of: request) == .expired)
        let late = try await bench.answer(Draft(to: fetched), by: &phone)
        #expect(late.state == 4)
        #expect(late.isDecidedHere == false)
        let again = try await bench.fetch(request, by: &phone)
        #expect(again.state == 4)
        #expect(Set(again.fields.keys) == [0x0D, 0x20, 0x2B])
    }

    @Test func `a token comes with the acceptance alone`() async throws {
        let bench = Bench { $0.authToken = "a.b.c" }
        var phone = try await bench.activated()
        let first = try await bench.fetch(try await bench.login(), by: &phone)
        let accepted = try await bench.answer(Draft(to: first), by: &phone)
        #expect(accepted.text(0x2D) == "a.b.c")
        let late = try await bench.answer(Draft(to: first), by: &phone)
        #expect(late.state == 2)
        #expect(late.isDecidedHere == false)
        #expect(late.text(0x2D) == nil)
        let second = try await bench.fetch(try await bench.login(), by: &phone)
        #expect(try await bench.answer(.refusing(second), by: &phone).text(0x2D) == nil)
    }
}
