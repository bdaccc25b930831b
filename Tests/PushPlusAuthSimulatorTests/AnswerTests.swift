import Foundation
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

struct AnswerTests {
    typealias Choice = PlusAuthSimulator.ReceivedAnswer.Choice

    @Test(arguments: [
        ("rs256_code_selected", SimulatedLogin.Status.approved, Choice.selected("07")),
        ("rs256_code_rejected", .denied, .rejected),
        ("rs256_prompt_accepted", .approved, .accepted),
        ("es256_prompt_accepted", .approved, .accepted),
        ("es256_prompt_rejected_fraud", .denied, .rejected),
        ("es256_code_selected", .approved, .selected("02")),
        ("es256_prompt_accepted_documented_claims_only", .approved, .accepted),
    ])
    func `the answers of the worked example are taken`(
        name: String, status: SimulatedLogin.Status, choice: Choice
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled(Phone(name.hasPrefix("rs256") ? .rsa : .ec))
        bench.random.draw(name.hasPrefix("rs256") ? 7 : 2, 0, 0, 0)
        let kind: SimulatedLogin.Kind = name.contains("_code_") ? .number : .confirm
        let (login, push) = try await bench.login(asking: kind)
        let body: JSON = [
            "context": .string(try Vectors("answers").text(name)),
            "device_identifier": .string(phone.identifier),
        ]
        #expect(try await bench.answer(body, push.token).status == 200)
        #expect(try await bench.status(login) == status)
        let answer = try #require(await bench.tenant.answers(to: login.id).first)
        #expect(answer.choice == choice)
        #expect(answer.credential == (await bench.tenant.devices(of: "ada@example.com")).first?.id)
        let reason = name.contains("fraud") ? "fraud_suspicion" : "ignore"
        #expect(answer.rejectReason == (status == .denied ? reason : nil))
    }

    @Test(arguments: ["ignore", "fraud_suspicion"])
    func `a refusal tells its reason`(reason: String) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        for (kind, claims) in [
            (SimulatedLogin.Kind.confirm, JSON.Object([("response", "rejected")])), (.number, [:]),
        ] {
            var claims = claims
            claims["reject_reason"] = .string(reason)
            let (login, push) = try await bench.login(asking: kind)
            #expect(try await bench.tenant.answers(to: login.id).isEmpty)
            #expect(try await bench.answer(push, by: phone, claims).status == 200)
            #expect(try await bench.status(login) == .denied)
            let answers = try await bench.tenant.answers(to: login.id)
            #expect(answers.map(\.rejectReason) == [reason])
            #expect(answers.map(\.choice) == [.rejected])
        }
    }

    @Test func `a wrong number is taken and fails the login, as does a number without its zero`()
        async throws
    {
        let bench = Bench()
        let phone = try await bench.enrolled()
        for wrong in ["84", "7", "007", "00"] {
            bench.random.draw(7, 0, 0, 0)
            let (login, push) = try await bench.login(asking: .number)
            #expect(login.shown == "07")
            let claims: JSON.Object = ["selected_value": .string(wrong)]
            #expect(try await bench.answer(push, by: phone, claims).status == 200)
            #expect(try await bench.status(login) == .failed)
        }
    }

    /// Claims that fit nothing that was asked.
    private static let unfit: [(SimulatedLogin.Kind, JSON.Object)] = [
        (.confirm, [:]), (.confirm, ["response": "yes"]), (.confirm, ["response": true]),
        (.confirm, ["response": "rejected"]), (.confirm, ["reject_reason": "ignore"]),
        (.confirm, ["response": "accepted", "reject_reason": "ignore"]),
        (.confirm, ["response": "rejected", "reject_reason": "bored"]),
        (.confirm, ["response": "rejected", "reject_reason": nil]),
        (.confirm, ["selected_value": "00"]),
        (.confirm, ["response": "accepted", "selected_value": "00"]),
        (.confirm, ["response": "accepted", "context_token": "x"]),
        (.confirm, ["response": "accepted", "type": "prompt"]),
        (.confirm, ["response": "accepted", "resolve_url": "x"]),
        (.confirm, ["response": "accepted", "values": []]),
        (.number, [:]), (.number, ["selected_value": 0]), (.number, ["selected_value": nil]),
        (.number, ["response": "accepted"]),
        (.number, ["response": "rejected", "reject_reason": "ignore"]),
        (.number, ["selected_value": "00", "reject_reason": "ignore"]),
        (.number, ["selected_value": "00", "response": "accepted"]),
        (.number, ["reject_reason": "bored"]),
    ]

    @Test func `claims that don't fit what was asked are refused and change nothing`()
        async throws
    {
        let bench = Bench()
        let phone = try await bench.enrolled()
        for (kind, claims) in Self.unfit {
            let (login, push) = try await bench.login(asking: kind)
            let reply = try await bench.answer(push, by: phone, claims)
            #expect(reply.status == 422, "\(claims)")
            #expect(reply.error == "invalid_entity")
            #expect(try await bench.status(login) == .waiting)
            let right: JSON.Object =
                kind == .confirm ? ["response": "accepted"] : ["selected_value": "00"]
            #expect(try await bench.answer(push, by: phone, right).status == 200)
            #expect(try await bench.status(login) == .approved)
        }
    }

    @Test(arguments: Phone.Kind.allCases)
    func `a push sent back as its own answer is refused`(kind: Phone.Kind) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled(Phone(kind))
        for asked in [SimulatedLogin.Kind.confirm, .number] {
            let (login, push) = try await bench.login(asking: asked)
            var contexts = [push.jwt]
            for member in try Vectors("contexts").values.members {
                contexts.append(member.value.string ?? "")
            }
            for context in contexts {
                let body: JSON = [
                    "context": .string(context), "device_identifier": .string(phone.identifier),
                ]
                #expect(try await bench.answer(body, push.token).status == 422)
            }
            #expect(try await bench.status(login) == .waiting)
        }
    }

    @Test func `an answer by another key or another algorithm is refused`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled(Phone(.rsa))
        let (login, push) = try await bench.login()
        var other = try Phone.another("b")
        other.identifier = phone.identifier
        #expect(try await bench.answer(push, by: other).status == 422)
        for algorithm in ["none", "ES256", "HS256", "PS256", "rs256", "RS384"] {
            let body = try phone.answer(
                ["response": "accepted"], header: ["alg": .string(algorithm), "typ": "JWT"])
            #expect(try await bench.answer(body, push.token).status == 422)
        }
        for type in ["at+jwt", "", 1] as [JSON] {
            let body = try phone.answer(
                ["response": "accepted"], header: ["alg": "RS256", "typ": type])
            #expect(try await bench.answer(body, push.token).status == 422)
        }
        let jwt = try phone.jwt(["response": "accepted"])
        let parts = jwt.split(separator: ".").map(String.init)
        for odd in ["", "a.b.c", jwt + "=", parts[0] + "." + parts[1] + ".", jwt + ".x"] {
            let body: JSON = [
                "context": .string(odd), "device_identifier": .string(phone.identifier),
            ]
            #expect(try await bench.answer(body, push.token).status == 422)
        }
        #expect(try await bench.status(login) == .waiting)
        let plain = try phone.answer(["response": "accepted"], header: ["alg": "RS256"])
        #expect(try await bench.answer(plain, push.token).status == 200)
    }

    @Test func `an answer has to come from the device that was asked`() async throws {
        let bench = Bench()
        let (a, b) = (try Phone.another("a"), try Phone.another("b"))
        try await bench.enrolled(a)
        try await bench.enrolled(b)
        let login = try await bench.tenant.startLogin(of: "ada@example.com", asking: .confirm)
        let push = try Received(try #require(await bench.tenant.takePushes().first))
        #expect(try await bench.answer(push, by: b).status == 401)
        var body = try #require(try a.answer(["response": "accepted"]).object)
        for identifier in [JSON.string("b"), "", "nobody's"] {
            body["device_identifier"] = identifier
            let reply = try await bench.answer(.object(body), push.token)
            #expect(reply.status == 401)
            #expect(reply.error == "unauthorized_user")
        }
        for member in ["device_identifier", "context"] {
            var body = try #require(try a.answer(["response": "accepted"]).object)
            for value in [JSON?.none, .null, 1] {
                body[member] = value
                #expect(try await bench.answer(.object(body), push.token).status == 422)
            }
        }
        #expect(try await bench.status(login) == .waiting)
        #expect(try await bench.answer(push, by: a).status == 200)
    }

    @Test func `an answer's times are optional, but have to be right`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let now = Int64(Bench.now)
        let cases: [(JSON.Object, Int)] = [
            (["exp": .integer(now)], 422), (["exp": .integer(now + 1)], 200),
            (["exp": "soon"], 422), (["iat": .integer(now + 61)], 422),
            (["iat": .integer(now + 60)], 200), (["iat": nil], 422), ([:], 200),
        ]
        for (times, status) in cases {
            let claims = JSON.Object([("response", "accepted")] + times.members)
            let push = try await bench.login().push
            #expect(try await bench.answer(push, by: phone, claims).status == status, "\(times)")
        }
    }

    @Test func `a tenant may demand fresh answers, and takes none twice`() async throws {
        let bench = Bench { $0.requiresFreshAnswer = true }
        let phone = try await bench.enrolled()
        let fresh: JSON.Object = [
            "response": "accepted", "iat": 1_702_243_100, "exp": 1_702_243_220, "jti": "1",
        ]
        let first = try await bench.login().push
        for name in ["iat", "exp", "jti"] {
            var claims = fresh
            claims[name] = nil
            #expect(try await bench.answer(first, by: phone, claims).status == 422)
        }
        let body = try phone.answer(fresh)
        #expect(try await bench.answer(body, first.token).status == 200)
        let (login, second) = try await bench.login()
        #expect(try await bench.answer(body, second.token).status == 422)
        #expect(try await bench.status(login) == .waiting)
        await bench.tenant.configure { $0.requiresFreshAnswer = false }
        #expect(try await bench.answer(body, second.token).status == 200)
    }
}
