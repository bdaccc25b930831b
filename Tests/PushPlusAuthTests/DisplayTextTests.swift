import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// What a push may put before the user's eyes:
/// `docs/vendors/plusauth.md#what-the-user-sees-and-what-is-left-out`.
@Suite struct DisplayTextTests {
    private func details(
        _ text: String
    ) async throws -> (challenge: Challenge, context: PushContext) {
        let harness = try await PlusAuthHarness.enrolled()
        let value = JSON.string(text)
        let info: JSON = [
            "application": value, "ip": value, "user_identifier": value,
            "agent": [
                "ua": value, "browser": ["name": value], "device": ["vendor": value],
                "os": ["name": value],
            ],
            "location": ["city": value, "coordinates": ["time_zone": value]],
        ]
        let challenge = try await harness.challenge(ContextJWT(harness.key()).with("info", info))
        return (challenge, try #require(challenge.details(as: PushContext.self)))
    }

    @Test func `texts are cut to two hundred characters`() async throws {
        let (challenge, context) = try await details(String(repeating: "x", count: 230))
        #expect(context.leaves.count == 9)
        for text in context.leaves.values {
            #expect(text.count <= 200)
            #expect(text == String(repeating: "x", count: 199) + "…", "The cut must be seen.")
        }
        #expect(challenge.origin.application?.count ?? 0 <= 200)
        let whole = String(repeating: "x", count: 200)
        #expect(try await details(whole).context.leaves.values.allSatisfy { $0 == whole })
    }

    @Test func `a character is what a reader takes for one`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let info: JSON = ["application": .string(String(repeating: "\u{E4}", count: 300))]
        let challenge = try await harness.challenge(ContextJWT(harness.key()).with("info", info))
        let text = challenge.details(as: PushContext.self)?.info?.application ?? ""
        #expect(text.count <= 200)
        #expect(text.hasPrefix(String(repeating: "\u{E4}", count: 199)))
    }

    @Test func `what could deceive the eye is taken out`() async throws {
        let (challenge, context) = try await details(
            "Acme\u{0}\u{7}\u{1B}[31m \u{202E}knaB\u{202C}\u{2066}\u{2069}\u{200E}\u{200F}\u{7F}\u{9B}"
        )
        for text in context.leaves.values { #expect(text == "Acme[31m knaB") }
        #expect(challenge.origin.application == "Acme[31m knaB")
        for field in challenge.fields {
            #expect(!field.value.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x1B })
        }
    }

    @Test(arguments: ["", "\u{202E}", "\u{0}\u{200F}"])
    func `a text of nothing is none`(text: String) async throws {
        let (challenge, context) = try await details(text)
        #expect(context.leaves.isEmpty)
        #expect(challenge.origin.application == nil)
        #expect(challenge.fields.allSatisfy { !$0.value.isEmpty })
    }

    @Test func `scripts and emoji stay whole`() async throws {
        let text = "\u{1F469}\u{200D}\u{1F4BB} מבחן ناخن \u{645}\u{6CC}\u{200C}\u{62E}"
        #expect(try await details(text).context.leaves["application"] == text)
    }

    @Test func `a choice that can't be shown as it is can't be chosen`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let challenge = try await harness.challenge(.code(harness.key(), ["07", "\u{202E}12"]))
        guard case .denyOnly = challenge.prompt else {
            Issue.record("The answer must repeat exactly what the user saw: \(challenge.prompt).")
            return
        }
    }

    // MARK: What the documentation doesn't name

    private func challenge(_ info: JSON) async throws -> Challenge {
        let harness = try await PlusAuthHarness.enrolled()
        return try await harness.challenge(ContextJWT(harness.key()).with("info", info))
    }

    @Test func `a member of info that isn't documented is shown under its own name`() async throws {
        let challenge = try await challenge([
            "application": "Acme Bank", "purpose": "Close the account", "amount": 700,
            "urgent": true, "note": nil, "remark": "", "list": [], "more": [:],
        ])
        #expect(challenge.prompt == .approve)
        #expect(
            challenge.fields == [
                .init("purpose", "Close the account"), .init("amount", "700"),
                .init("urgent", "true"),
            ])
    }

    @Test(
        arguments: [
            ["lines": ["Pay", "700"]], ["payment": ["amount": 700]],
            ["purpose": .string(String(repeating: "x", count: 201))], ["purpose": "\u{202E}"],
            ["pur\u{200B}pose": "x"], ["": "x"],
            .object(JSON.Object((0..<9).map { ("m\($0)", .string("x")) })),
        ] as [JSON])
    func `what of it can't be shown can't be approved, and what can be is shown`(
        info: JSON
    ) async throws {
        var info = try #require(info.object)
        info["user_identifier"] = "ada@example.com"
        info["shown"] = "seen"
        for isCode in [false, true] {
            let harness = try await PlusAuthHarness.enrolled()
            let key = try await harness.key()
            let context = isCode ? ContextJWT.code(key) : ContextJWT(key)
            let challenge = try await harness.challenge(context.with("info", .object(info)))
            guard case .denyOnly(let reason) = challenge.prompt else {
                Issue.record("The user doesn't see all of it: \(challenge.prompt).")
                continue
            }
            #expect(reason.contains("info"))
            #expect(challenge.fields.first == .init("User", "ada@example.com"))
            if info.members.count < 9 { #expect(challenge.fields.contains(.init("shown", "seen"))) }
            let yes: Resolution = isCode ? .choose("07") : .approve
            let error = try await refusal {
                _ = try await harness.authenticator.resolve(challenge, with: yes)
            }
            #expect(error.code == .unsupported)
            let announcement = try await harness.authenticator.announcement(of: challenge.id)
            await #expect(throws: PushError.self) {
                _ = try await harness.answer(
                    to: Decision(
                        announcement, yes, challenge: challenge, evidence: [.presence],
                        extras: nil))
            }
            #expect(
                try await harness.authenticator.resolve(challenge, with: .deny(.ignore))
                    == .delivered)
            #expect(await harness.answers().count == 1)
        }
    }

    @Test(arguments: ["application", "user_identifier"])
    func `what is accessed, and as whom, is shown whole or can't be approved`(
        name: String
    ) async throws {
        let marks = String(repeating: "\u{301}", count: 9)
        for wrong in [
            42, true, ["name": "Acme"], ["Acme"], "\u{202E}", "\u{200D}",
            .string(String(repeating: "x", count: 300)), .string("Acme1" + marks),
        ] as [JSON] {
            let harness = try await PlusAuthHarness.enrolled()
            let info: JSON = .object([name: wrong, "ip": "192.0.2.1"])
            let challenge = try await harness.challenge(
                ContextJWT(harness.key()).with("info", info))
            guard case .denyOnly(let reason) = challenge.prompt else {
                Issue.record("The user doesn't see it: \(wrong)")
                continue
            }
            #expect(reason.contains(name))
            let announcement = try await harness.authenticator.announcement(of: challenge.id)
            await #expect(throws: PushError.self) {
                _ = try await harness.answer(
                    to: Decision(
                        announcement, .approve, challenge: challenge, evidence: [.presence],
                        extras: nil))
            }
        }
        for right in [nil, "", [], [:], "Acme"] as [JSON] {
            #expect(try await challenge(.object([name: right])).prompt == .approve)
        }
    }

    @Test func `an undocumented member that loses marks can't be approved`() async throws {
        for (count, isWhole) in [(8, true), (9, false)] {
            let text = "1" + String(repeating: "\u{301}", count: count)
            let prompt = try await challenge(["amount": .string(text)]).prompt
            #expect((prompt == .approve) == isWhole)
        }
    }

    @Test func `a browser without its User-Agent is shown by what is known of it`() async throws {
        let agent: JSON = [
            "ua": "", "browser": ["name": "Firefox", "major": "120"],
            "device": ["vendor": "Apple", "model": nil], "os": ["name": "macOS", "version": "14"],
        ]
        #expect(
            try await challenge(["agent": agent]).origin.agent == "Firefox 120, Apple, macOS 14")
        #expect(try await challenge(["agent": ["os": ["name": ""]]]).origin.agent == nil)
    }

    @Test func `a place is shown as far as it is known`() async throws {
        let location: JSON = [
            "country": "TUR", "postal_code": "34000", "time_zone": "Europe/Istanbul",
        ]
        #expect(
            try await challenge(["location": location]).fields == [
                .init("Postal code", "34000"), .init("Country", "TUR"),
                .init("Time zone", "Europe/Istanbul"),
            ])
    }
}
