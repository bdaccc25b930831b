import Foundation
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// The worked examples' contexts that must be presented, by the examples' own keys.
@Suite struct GoodContextTests {
    private static let names = [
        "rs256_code", "rs256_prompt", "es256_prompt_sparse", "es256_code_bind_sim_no_kid",
    ]

    private func challenge(
        _ name: String, in harness: PlusAuthHarness
    ) async throws -> (challenge: Challenge, context: PushContext) {
        let challenge = try await harness.challenge(ContextJWT.message(Vectors()(name)))
        return (challenge, try #require(challenge.details(as: PushContext.self)))
    }

    @Test(arguments: names)
    func `each context is its account's, with and without a key's name`(name: String) async throws {
        let harness = try await PlusAuthHarness.ofTheExamples()
        let (challenge, _) = try await challenge(name, in: harness)
        let owner = try Vectors().key(name.hasPrefix("rs256") ? "rsa" : "ec")
        #expect(challenge.id.enrollment.name == owner.id)
        #expect(challenge.expiry == Date(timeIntervalSince1970: 1_702_250_257))
        #expect(challenge.verification == [[.presence]])
    }

    @Test func `a full code says everything that is documented`() async throws {
        let (challenge, context) = try await challenge("rs256_code", in: .ofTheExamples())
        #expect(challenge.prompt == .choose(["83", "07", "12"]))
        #expect(challenge.id.name == (try Vectors()("answer_duplicate_key")))
        #expect(context.exp == Date(timeIntervalSince1970: 1_702_250_257))
        #expect(context.iat == Date(timeIntervalSince1970: 1_702_243_057))
        #expect(context.contextToken.text == "ctx-rs-code-0001")
        #expect(context.resolveURL == WorkedExample.resolve)
        #expect(context.type == .code(["83", "07", "12"]))
        #expect(context.rawType == "code")
        #expect(context.values == ["83", "07", "12"])
        #expect(context.settings?.bindSIM == false)
        #expect(context.leaves == PushContext.exampleLeaves)
        #expect(context.info?.location?.coordinates?.timeZone == "Europe/Istanbul")
        #expect(challenge.origin.address == "203.0.113.7")
        #expect(challenge.origin.application == "Acme Bank")
        #expect(challenge.origin.place == .init(latitude: 41.091384, longitude: 29.062315))
        #expect(challenge.origin.agent?.contains("Firefox") == true)
    }

    @Test func `each part of the documented context is on the screen, place included`() async throws
    {
        let (challenge, _) = try await challenge("rs256_code", in: .ofTheExamples())
        let leaves = PushContext.exampleLeaves
        #expect(
            challenge.shown.map { "\($0.label): \($0.value)" } == [
                "User: \(leaves["user_identifier"] ?? "")",
                "City: \(leaves["location.city"] ?? "")",
                "Postal code: \(leaves["location.postal_code"] ?? "")",
                "Country: \(leaves["location.country"] ?? "")", "Time zone: Europe/Istanbul",
                "Application: Acme Bank", "IP address: 203.0.113.7",
                "User agent: \(challenge.origin.agent ?? "")", "Place: 41.091384, 29.062315",
            ])
    }

    @Test func `a full prompt is a question of yes or no`() async throws {
        let (challenge, context) = try await challenge("rs256_prompt", in: .ofTheExamples())
        #expect(challenge.prompt == .approve)
        #expect(context.type == .prompt)
        #expect(context.values.isEmpty)
        #expect(context.leaves == PushContext.exampleLeaves)
    }

    @Test func `a sparse prompt is as good`() async throws {
        let (challenge, context) = try await challenge("es256_prompt_sparse", in: .ofTheExamples())
        #expect(challenge.prompt == .approve)
        #expect(context.settings?.bindSIM == nil)
        #expect(context.leaves == ["application": "Acme Bank"])
        #expect(context.contextToken.text == "ctx-es-prompt-0003")
        #expect(challenge.origin.application == "Acme Bank")
        #expect(challenge.origin.address == nil)
        #expect(challenge.origin.place == nil)
    }

    @Test func `a code without info keeps its leading zero`() async throws {
        let (challenge, context) = try await challenge(
            "es256_code_bind_sim_no_kid", in: .ofTheExamples())
        #expect(challenge.prompt == .choose(["02", "61", "30"]))
        #expect(context.settings?.bindSIM == true)
        #expect(context.leaves.isEmpty)
    }

    @Test func `of two accounts the right one is chosen, whichever came first`() async throws {
        for accounts in [["rsa", "ec"], ["ec", "rsa"]] {
            let harness = try await PlusAuthHarness.ofTheExamples(accounts)
            for name in Self.names {
                let (challenge, _) = try await challenge(name, in: harness)
                let owner = try Vectors().key(name.hasPrefix("rs256") ? "rsa" : "ec")
                #expect(challenge.id.enrollment.name == owner.id)
            }
            #expect(try await harness.authenticator.records().count == 4)
        }
    }

    @Test(arguments: names)
    func `a context reads alike in every form of delivery`(name: String) async throws {
        let token = try Vectors()(name)
        let messages = try [
            ContextJWT.message(token), ContextJWT.apns(token),
            ContextJWT.apns(token, nested: true),
            PushMessage(fcm: ["context": token, "title": "", "body": ""]),
        ]
        let harness = try await PlusAuthHarness.ofTheExamples()
        var isNew: [Bool] = []
        for message in messages {
            isNew += try await harness.authenticator.receive(message).map(\.isNew)
        }
        #expect(isNew == [true, false, false, false])
        #expect(try await harness.authenticator.records().count == 1)
    }

    @Test func `a notice says the application, at most the city, and nothing more`() async throws {
        let harness = try await PlusAuthHarness.ofTheExamples()
        let message = try ContextJWT.message(Vectors()("rs256_code"))
        let reception = try #require(await harness.authenticator.receive(message).first)
        guard case .notice(let notice, let validity) = reception.kind else {
            Issue.record("It's a notice.")
            return
        }
        #expect(validity == .valid)
        #expect(notice.title == "Acme Bank")
        #expect(notice.body == nil || notice.body?.contains("Istanbul") == true)
        #expect(notice.issued == Date(timeIntervalSince1970: 1_702_243_057))
        #expect(notice.expiry == Date(timeIntervalSince1970: 1_702_250_257))
        #expect(notice.proof == .signature)
        let text = String(decoding: try JSONEncoder().encode(notice), as: UTF8.self)
        for secret in ["ctx-rs", "ada@", "203.0.113.7", "Firefox", "41.09", "07"] {
            #expect(!(notice.title ?? "").contains(secret))
            #expect(!(notice.body ?? "").contains(secret))
            if secret != "07" { #expect(!text.contains(secret)) }
        }
    }
}
