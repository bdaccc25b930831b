import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import Testing

@testable import PushPlusAuth

/// What must be read nowhere but where it belongs.
@Suite struct SecrecyTests {
    /// Every way in which code prints a value.
    private func texts(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }

    /// What may be read nowhere: the bearer tokens, the code's secret, and the private key.
    private func secrets(of harness: PlusAuthHarness) async throws -> [String] {
        let posted = try #require(await harness.enrollments().last)
        let key = try posted.object("private_key")
        return ["d", "p", "q", "dp", "dq", "qi"].compactMap { key[$0]?.string } + [
            "enr+Qk2", "ctx-0001", WorkedExample.secret, "12345678901234567890123456789012",
        ]
    }

    @Test(arguments: [PlusAuth.KeyAlgorithm.rs256, .es256])
    func `no value prints a secret`(algorithm: PlusAuth.KeyAlgorithm) async throws {
        let harness = try await PlusAuthHarness.enrolled(.ec { $0.keyAlgorithm = algorithm })
        let enrollment = try await harness.account()
        let offer = try #require(
            harness.authenticator.offers(for: .scanned(text: EnrollmentCode().text)).first)
        let uri = try #require(try PushEnrollmentURI(EnrollmentCode().text))
        let message = try await ContextJWT.code(harness.key()).message()
        let event = try #require(try await harness.event(of: message))
        let reception = try #require(await harness.authenticator.receive(message).first)
        let challenge = try await harness.authenticator.challenge(#require(reception.challenge))
        let context = try #require(challenge.details(as: PushContext.self))
        let announcement = try await harness.authenticator.announcement(of: challenge.id)
        let details = try await harness.provider.accountDetails(of: enrollment.id)
        let credential: PlusAuthCredential = try await harness.accounts.existing(enrollment.id)
            .credential()
        let code = try await harness.authenticator.code(for: enrollment.id)
        let answer = try await harness.answer(
            to: Decision(
                announcement, .choose("07"), challenge: challenge, evidence: [.presence],
                extras: nil))
        let values: [Any] = [
            enrollment, offer, uri, event, reception, challenge, context,
            announcement, details, credential, code, answer, PlusAuth.Configuration(),
        ]
        let secrets = try await secrets(of: harness) + ["435223"]
        // Not dumped: that would walk into the test's own network, which remembers everything.
        for secret in secrets { #expect(!"\(harness.provider)".contains(secret)) }
        for value in values {
            for text in texts(of: value) {
                for secret in secrets {
                    #expect(!text.contains(secret), "\(type(of: value)) tells \(secret)")
                }
            }
        }
    }

    @Test func `no error and no observation tells a secret`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        var errors: [PushError] = []
        let secrets = try await secrets(of: harness)
        let echo = #"{"error":"ctx-0001","error_description":"enr+Qk2/0001= ctx-0001"}"#
        let contexts = [
            ContextJWT(key).with("type", 7), ContextJWT(key).with("exp", nil),
            ContextJWT(key).with("resolve_url", "https://evil.example/ctx-0001"),
            ContextJWT(AccountKey.stranger()), ContextJWT.code(key, ["ctx-0001"]),
        ]
        for context in contexts { errors.append(try await harness.refusal(of: context.message())) }
        for status in [400, 401, 409, 418, 422, 429, 500] {
            await harness.server.reply(.init(status: status, body: echo))
            let again = EnrollmentCode.account("user\(status)")
            do { try await harness.enroll(again) } catch {
                errors.append(try #require(error as? PushError))
            }
        }
        for (index, status) in [400, 418, 422, 500, 302].enumerated() {
            let challenge = try await harness.challenge(
                ContextJWT(key, token: "ctx-0001-\(index)"))
            await harness.server.reply(.init(status: status, body: echo))
            do {
                let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
                for secret in secrets { #expect(!"\(outcome)".contains(secret)) }
            } catch {
                errors.append(error)
            }
        }
        #expect(errors.count >= 12)
        for text in errors.flatMap({ texts(of: $0) })
            + harness.observer.observations.flatMap({ texts(of: $0) })
        {
            for secret in secrets { #expect(!text.contains(secret), "\(text)") }
        }
    }

    @Test func `the private key is sent once, in the enrollment alone`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try #require(await harness.enrollments().last).object("private_key")
        let scalar = try #require(key["d"]?.string)
        for (index, answer) in [Resolution.approve, .deny(.fraud)].enumerated() {
            let challenge = try await harness.challenge(
                ContextJWT(harness.key(), token: "ctx-\(index)"))
            _ = try await harness.authenticator.resolve(challenge, with: answer)
        }
        let bodies = await harness.transport.exchanges.map {
            String(decoding: $0.body, as: UTF8.self)
        }
        #expect(bodies.count { $0.contains(scalar) } == 1)
        for exchange in await harness.transport.exchanges {
            #expect(!"\(exchange.request.headerFields)".contains(scalar))
            #expect(exchange.request.path?.contains(scalar) == false)
        }
    }

    @Test func `once answered, the bearer is forgotten`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        func isStored() async throws -> Bool {
            let record = try await harness.store.read(.enrollment(challenge.id.enrollment))
            return record?.value.text.contains("ctx-0001") == true
        }
        #expect(try await isStored())
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await !isStored())
    }

    @Test func `a bearer goes nowhere but to its own call`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await harness.lastAnswer().field("Authorization") == "Bearer ctx-0001")
        for exchange in await harness.transport.exchanges {
            #expect(exchange.request.path?.contains("ctx-0001") == false)
            let body = String(decoding: exchange.body, as: UTF8.self)
            #expect(!body.contains("ctx-0001"))
            #expect(!body.contains("enr+Qk2"))
        }
    }
}
