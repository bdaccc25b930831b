import Foundation
import HTTPTypes
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

/// Answers, and what each release makes of a second one.
@Suite struct AnswerTests {
    typealias Generation = PrivacyIDEASimulator.Generation

    private static let no = [("decline", "1")]

    @Test(arguments: Generation.allCases)
    func `a signed yes lets the user in once the relying party has finished`(
        generation: Generation
    ) async throws {
        let bench = Bench(generation)
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login()
        #expect(try await bench.state(login) == "REJECT pending")
        #expect(try await bench.server.finish(login.id) == false)
        #expect(try await bench.answer(phone, nonce).isYes)
        #expect(try await bench.state(login) == "ACCEPT accept")
        #expect(try await bench.listed(phone).isEmpty)
        #expect(try await bench.server.finish(login.id))
        #expect(try await bench.server.status(of: login.id) == .approved)
        #expect(try await bench.answer(phone, nonce).isNo)
    }

    @Test(arguments: [
        ("decline", nil, "declined"), ("decline", "unknown_trigger", "declined"),
        ("decline", "cancelled", "cancelled"), ("decline", "made up", "declined"),
    ])
    func `a no has a reason where it is signed, and an unknown one is a plain no`(
        word: String, reason: String?, status: String
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login()
        let parts = [(word, "1")] + [reason.map { ("decline_reason", $0) }].compactMap(\.self)
        #expect(try await bench.answer(phone, nonce, parts).isYes)
        #expect(try await bench.state(login) == "DECLINED \(status)")
        #expect(try await bench.listed(phone).isEmpty)
        #expect(try await bench.server.status(of: login.id) == .denied)
    }

    @Test(arguments: [Generation.v39, .v313])
    func `a reason breaks the answer of a server that doesn't know it`(
        generation: Generation
    ) async throws {
        let bench = Bench(generation)
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login()
        let parts = Self.no + [("decline_reason", "cancelled")]
        #expect(try await bench.answer(phone, nonce, parts).isNo)
        #expect(try await bench.state(login) == "REJECT pending")
        #expect(try await bench.answer(phone, nonce, Self.no).isYes)
    }

    @Test func `3.9 says true to a no, and forgets it`() async throws {
        let bench = Bench(.v39)
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login()
        #expect(try await bench.answer(phone, nonce, Self.no).isYes)
        #expect(try await bench.state(login) == "REJECT pending")
        #expect(try await bench.listed(phone).count == 1)
    }

    @Test func `a word beside the two for a no is no no`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let nonce = try await bench.login().nonce
        #expect(try await bench.answer(phone, nonce, [("decline", "yes")]).isNo)
        #expect(try await bench.answer(phone, nonce, [("decline", "true")]).isYes)
    }

    @Test func `3.9 needs the nonce, a later server finds the challenge by the signature`()
        async throws
    {
        for (generation, refusal) in [(Generation.v39, "400/905"), (.v313, ""), (.v314, "")] {
            let bench = Bench(generation)
            let phone = try await bench.enrolled()
            let nonce = try await bench.login().nonce
            let signature = try phone.signature(over: "\(nonce)|\(phone.serial)")
            let reply = await bench.post([("serial", phone.serial), ("signature", signature)])
            if refusal.isEmpty { #expect(reply.isYes) } else { #expect(reply.refusal == refusal) }
        }
    }

    @Test func `what is wrong with an answer is told by status and code, or by one word`()
        async throws
    {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let nonce = try await bench.login().nonce
        let unknown = try Phone(serial: "PIPU9")
        #expect(try await bench.answer(unknown, nonce).refusal == "404/601")
        let fields = [("serial", phone.serial), ("nonce", nonce)]
        #expect(await bench.post(fields).refusal == "400/905")
        let lower = try phone.signature(over: "\(nonce)|\(phone.serial)").lowercased()
        #expect(await bench.post(fields + [("signature", lower)]).refusal == "500/-500")
        let other = try Phone(serial: phone.serial, key: 1)
        #expect(try await bench.answer(other, nonce).isNo)
        #expect(try await bench.answer(phone, "NONE").isNo)
        #expect(try await bench.answer(phone, nonce).isYes)
    }

    @Test func `an answer after its time changes nothing, and before 3.14 is told true`()
        async throws
    {
        for generation in Generation.allCases {
            let bench = Bench(generation)
            let phone = try await bench.enrolled()
            let (login, _, nonce) = try await bench.login()
            bench.clock.advance(by: .seconds(121))
            #expect(try await bench.listed(phone).isEmpty)
            let reply = try await bench.answer(phone, nonce)
            #expect(generation == .v314 ? reply.isNo : reply.isYes)
            #expect(try await bench.server.finish(login.id) == false)
            #expect(try await bench.server.status(of: login.id) == .expired)
        }
    }

    // MARK: Second answers

    /// First and second answer, what the second is told by 3.13 and by 3.14, and what the relying party
    /// is told by either.
    private static let seconds: [(String, String, [Bool], [String])] = [
        ("yes", "yes", [true, false], ["ACCEPT accept", "ACCEPT accept"]),
        ("no", "no", [true, false], ["DECLINED declined", "DECLINED declined"]),
        ("no", "yes", [true, false], ["ACCEPT accept", "DECLINED declined"]),
        ("yes", "no", [true, false], ["ACCEPT accept", "ACCEPT accept"]),
    ]

    @Test(arguments: seconds)
    func `a second answer counts before 3.14 and not from it on`(
        first: String, second: String, isTaken: [Bool], states: [String]
    ) async throws {
        for (index, generation) in [Generation.v313, .v314].enumerated() {
            let bench = Bench(generation)
            let phone = try await bench.enrolled()
            let (login, _, nonce) = try await bench.login()
            let parts = { (word: String) in word == "no" ? Self.no : [] }
            #expect(try await bench.answer(phone, nonce, parts(first)).isYes)
            let reply = try await bench.answer(phone, nonce, parts(second))
            #expect(isTaken[index] ? reply.isYes : reply.isNo)
            #expect(try await bench.state(login) == states[index])
        }
    }

    // MARK: Presence

    @Test(arguments: [
        PrivacyIDEASimulator.Presence.alphabetic(count: 4), .numeric(count: 3),
        .custom(["50% off", " a ", "007"]),
    ])
    func `one option is right, and a wrong one leaves the challenge open`(
        presence: PrivacyIDEASimulator.Presence
    ) async throws {
        let bench = Bench { $0.presence = presence }
        let phone = try await bench.enrolled()
        let (login, fields, nonce) = try await bench.login(.number)
        let options = try #require(fields["require_presence"]?.string).split(separator: ",")
            .map(String.init)
        #expect(Set(options).count == options.count)
        #expect(fields["version"] == "2")
        let right = try #require(login.shown)
        for wrong in options where wrong != right {
            #expect(try await choose(wrong, bench, phone, nonce).isNo)
        }
        #expect(try await bench.answer(phone, nonce).isNo)
        #expect(try await bench.listed(phone).count == 1)
        #expect(try await choose(right, bench, phone, nonce).isYes)
        #expect(try await bench.server.status(of: login.id) == .approved)
    }

    /// The form is decoded twice, so a percent sign is escaped once more.
    private func choose(
        _ option: String, _ bench: Bench, _ phone: Phone, _ nonce: String
    ) async throws -> Bench.Reply {
        let signature = try phone.signature(over: "\(nonce)|\(phone.serial)|\(option)")
        return await bench.post([
            ("serial", phone.serial), ("nonce", nonce),
            ("presence_answer", option.replacing("%", with: "%25")), ("signature", signature),
        ])
    }

    @Test func `a JSON body and three clients' forms are decoded once`() async throws {
        let bench = Bench { $0.presence = .custom(["50%25", "b"]) }
        let phone = try await bench.enrolled()
        bench.random.chooseFirst(true)
        for isJSON in [true, false] {
            let (login, _, nonce) = try await bench.login(.number)
            #expect(login.shown == "50%25")
            let fields = [
                ("serial", phone.serial), ("nonce", nonce), ("presence_answer", "50%25"),
                ("signature", try phone.signature(over: "\(nonce)|\(phone.serial)|50%25")),
            ]
            #expect(await bench.post(fields).isNo)
            if isJSON {
                let body = JSON.object(JSON.Object(fields.map { ($0, .string($1)) })).text
                let reply = await bench.send(
                    .post, Bench.path, body, headers: [.contentType: "application/json"])
                #expect(reply.isYes)
            } else {
                let headers: HTTPFields = [
                    .userAgent: "simplesamlphp/1",
                    .contentType: "application/x-www-form-urlencoded",
                ]
                #expect(await bench.post(fields, headers: headers).isYes)
            }
            #expect(try await bench.server.finish(login.id))
        }
    }

    // MARK: Code to phone

    @Test func `a yes brings a code once, and the code lets the user in`() async throws {
        let bench = Bench { $0.sendsCodeToPhone = true }
        let phone = try await bench.enrolled()
        let (login, fields, nonce) = try await bench.login()
        #expect(fields["require_presence"] == nil)
        let reply = try await bench.answer(phone, nonce)
        #expect(reply.isYes)
        let code = try #require(reply.json?["detail"]?["display_code"]?.string)
        #expect(code.utf8.count == 2)
        #expect(try await bench.state(login) == "REJECT pending")
        #expect(try await bench.server.status(of: login.id) == .waiting)
        #expect(try await bench.server.finish(login.id, typing: code + "0") == false)
        let again = try await bench.answer(phone, nonce)
        #expect(again.isNo)
        #expect(again.json?["detail"] == nil)
        #expect(try await bench.server.finish(login.id, typing: code))
    }

    @Test func `before 3.14 another yes brings another code, and the first is void`()
        async throws
    {
        let bench = Bench(.v313) { $0.sendsCodeToPhone = true }
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login()
        let codes = try await [bench.answer(phone, nonce), bench.answer(phone, nonce)]
            .map { try #require($0.json?["detail"]?["display_code"]?.string) }
        #expect(codes[0] != codes[1])
        #expect(try await bench.server.finish(login.id, typing: codes[0]) == false)
        #expect(try await bench.server.finish(login.id, typing: codes[1]))
    }

    @Test func `a number goes before a code`() async throws {
        let bench = Bench { $0.sendsCodeToPhone = true }
        let phone = try await bench.enrolled()
        let (login, _, nonce) = try await bench.login(.number)
        let right = try #require(login.shown)
        let reply = try await bench.answer(phone, nonce, [("presence_answer", right)])
        #expect(reply.isYes)
        #expect(reply.json?["detail"] == nil)
    }
}
