import Foundation
import IndependentEncodings
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

struct AnswerTests {
    typealias Generation = ForgeRockSimulator.Generation

    @Test(arguments: Generation.allCases)
    func `a yes logs in, a no doesn't, and neither is taken after the journey has read it`(
        generation: Generation
    ) async throws {
        let bench = Bench(generation)
        let phone = try await bench.enrolled()
        let answers: [(JSON.Object, SimulatedLogin.Status)] = [
            ([:], .approved), (["deny": true], .denied),
        ]
        for (claims, status) in answers {
            let (login, push) = try await bench.login()
            #expect(try await bench.am.status(of: login.id) == .waiting)
            #expect(try await bench.answer(push, by: phone, claims) == 200)
            #expect(try await bench.am.status(of: login.id) == status)
            #expect(try await bench.answer(push, by: phone, claims) == 400)
            #expect(try await bench.am.status(of: login.id) == status)
        }
    }

    @Test(arguments: [JSON.bool(false), "no", 0, []])
    func `a deny that is there denies, whatever it says`(deny: JSON) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login()
        #expect(try await bench.answer(push, by: phone, ["deny": deny]) == 200)
        #expect(try await bench.am.status(of: login.id) == .denied)
    }

    @Test func `a deny that is null is none`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login()
        #expect(try await bench.answer(push, by: phone, ["deny": .null]) == 200)
        #expect(try await bench.am.status(of: login.id) == .approved)
    }

    @Test func `until the journey reads it the last answer wins, and a number sent once stays`()
        async throws
    {
        let bench = Bench(.c)
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login(asking: .number)
        let wrong = login.shown == "10" ? "11" : "10"
        let answers: [JSON.Object] = [["deny": true], ["challengeResponse": .string(wrong)], [:]]
        for claims in answers {
            #expect(try await bench.answer(push, by: phone, claims) == 200)
        }
        #expect(try await bench.am.status(of: login.id) == .failed)
    }

    @Test(arguments: Generation.allCases)
    func `a wrong number fails the login, from AM 8.1 on the call itself`(
        generation: Generation
    ) async throws {
        let bench = Bench(generation)
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login(asking: .number)
        let wrong: JSON.Object = ["challengeResponse": login.shown == "10" ? "11" : "10"]
        let status = try await bench.answer(push, by: phone, wrong)
        #expect(status == (generation == .d ? 400 : 200))
        let expected: SimulatedLogin.Status =
            switch generation {
            case .a: .approved
            case .d: .waiting
            default: .failed
            }
        #expect(try await bench.am.status(of: login.id) == expected)
        guard generation == .d else { return }
        let right: JSON.Object = ["challengeResponse": .string(try #require(login.shown))]
        #expect(try await bench.answer(push, by: phone, right) == 200)
        #expect(try await bench.am.status(of: login.id) == .approved)
    }

    @Test(arguments: [(Generation.b, 200), (.c, 200), (.d, 400)])
    func `up to AM 8.0.2 a yes without a number passes the number challenge`(
        generation: Generation, code: Int
    ) async throws {
        let bench = Bench(generation)
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login(asking: .number)
        #expect(try await bench.answer(push, by: phone) == code)
        let status = try await bench.am.status(of: login.id)
        #expect(status == (generation == .d ? .waiting : .approved))
    }

    @Test(arguments: Generation.allCases.dropFirst())
    func `the right number logs in, as text and as a JSON number`(
        generation: Generation
    ) async throws {
        let bench = Bench(generation)
        let phone = try await bench.enrolled()
        for isText in [true, false] {
            let (login, push) = try await bench.login(asking: .number)
            let shown = try #require(login.shown)
            let number = JSON.integer(try #require(Int64(shown)))
            let claims: JSON.Object = ["challengeResponse": isText ? .string(shown) : number]
            #expect(try await bench.answer(push, by: phone, claims) == 200)
            #expect(try await bench.am.status(of: login.id) == .approved)
        }
    }

    @Test(arguments: [JSON.string("forty-two"), "", " 42", true, 99_999_999_999, ["a": 1]])
    func `a number that is none is the server's own error and changes nothing`(
        number: JSON
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login(asking: .number)
        #expect(try await bench.answer(push, by: phone, ["challengeResponse": number]) == 500)
        #expect(try await bench.am.status(of: login.id) == .waiting)
    }

    @Test func `an answer by another user's device is refused`() async throws {
        let bench = Bench()
        _ = try await bench.enrolled("jane")
        let other = try await bench.enrolled("john")
        let (login, push) = try await bench.login("jane")
        #expect(try await bench.answer(push, by: other) == 400)
        #expect(try await bench.am.status(of: login.id) == .waiting)
    }

    @Test func `an answer to one login isn't one to another`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (_, first) = try await bench.login()
        let (second, _) = try await bench.login()
        var body = try phone.answerBody(first).object ?? [:]
        body["messageId"] = .string(second.id)
        #expect(try await bench.post(.object(body), to: "authenticate") == 400)
    }

    @Test func `an unpadded response is refused`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (_, push) = try await bench.login()
        let challenge = try #require(Received(push).claims["c"]?.string)
        let padded = try phone.response(to: Data(bytes(base64: challenge)))
        let claims: JSON.Object = ["response": .string(String(padded.dropLast()))]
        #expect(try await bench.answer(push, by: phone, claims) == 400)
        #expect(try await bench.answer(push, by: phone, ["response": .string(padded)]) == 200)
    }

    @Test func `the old module takes the first valid answer and no other`() async throws {
        let bench = Bench { $0.usesAuthenticationModule = true }
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login(asking: .number)
        #expect(login.shown == nil)
        let claims = try #require(Received(push).claims.object)
        #expect(Set(claims.members.map(\.name)) == ["u", "l", "c", "i", "t"])
        #expect(try await bench.answer(push, by: phone, ["response": "wrong"]) == 400)
        #expect(try await bench.answer(push, by: phone, ["deny": true]) == 200)
        #expect(try await bench.answer(push, by: phone) == 400)
        #expect(try await bench.am.status(of: login.id) == .denied)
    }
}
