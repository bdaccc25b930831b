import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What the observer is told of a challenge's way from push to outcome.
struct StepTests {
    private let pin = Acme.Options(verification: [[.pin]])

    private func steps(_ harness: AuthenticatorHarness, since count: Int = 0) -> [ObservedStep] {
        Array(harness.observer.steps.dropFirst(count))
    }

    @Test func `a login is told step by step, in one trace`() async throws {
        let harness = AuthenticatorHarness(verifier: .willing(pin: "7890"))
        let authenticator = try await harness.enrolled(["ada"], pin)
        #expect(harness.observer.steps.isEmpty)
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
        let steps = harness.observer.steps
        #expect(steps.map(\.kind) == [.receive, .open, .verify, .answer, .attempt, .outcome])
        #expect(Set(steps.map(\.trace)) == [TraceID(of: .ada("1"))])
        #expect(Set(steps.map(\.provider)) == ["acme"])
        #expect(
            steps.map(\.ending.name) == ["done", "done", "done", "done"] + [
                "delivered", "delivered",
            ])
        #expect(steps.allSatisfy { !$0.isRepeated })
    }

    @Test func `a step takes as long as it takes by the device's clock`() async throws {
        let clock = ManualClock(morning)
        let harness = AuthenticatorHarness(
            verifier: ScriptedVerifier { _ throws(PushError) in
                clock.advance(by: .seconds(3))
                return [.pin(secret("7890"))]
            })
        let life = try harness.life(pin, clock: clock)
        _ = try await life.authenticator.join("ada")
        let challenge = try await life.authenticator.open(try AcmeWire.ask("1"))
        _ = try await life.authenticator.resolve(challenge, with: .approve)
        let durations = Dictionary(
            uniqueKeysWithValues: harness.observer.steps.map { ($0.kind, $0.duration) })
        #expect(durations[.verify] == .seconds(3))
        #expect(durations[.open] == .zero)
        #expect(durations[.attempt] == .zero)
    }

    @Test(arguments: Cord.Moment.allCases)
    func `killed as the answer left, the next process goes on in the same trace`(
        moment: Cord.Moment
    ) async throws {
        let harness = AuthenticatorHarness()
        let first = try harness.life()
        _ = try await first.authenticator.join("ada")
        let challenge = try await first.authenticator.open(try AcmeWire.ask("1"))
        await first.cord.cut(moment, .send("/answer"))
        _ = try? await first.authenticator.resolve(challenge, with: .approve)
        let before = harness.observer.steps
        let second = try harness.life().authenticator
        #expect(try await second.resume() == [.ada("1"): .delivered])
        let after = steps(harness, since: before.count)
        #expect(before.first?.kind == .receive)
        #expect(!before.contains { $0.ending == .outcome("delivered") })
        #expect(after.map(\.kind) == [.attempt, .outcome])
        #expect(after.map(\.ending) == [.outcome("delivered"), .outcome("delivered")])
        #expect(Set((before + after).map(\.trace)) == [TraceID(of: .ada("1"))])
    }

    @Test func `each try of a delivery is told, and what became of it`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.deny(.ada("1"))
        _ = try await authenticator.resume()
        let tries = harness.observer.steps.filter { $0.kind == .attempt }
        #expect(tries.map(\.ending.name) == ["unknown", "delivered"])
        #expect(tries.map(\.isRepeated) == [false, true])
    }

    @Test func `a challenge that its vendor takes back is over, in its trace`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.receive(try AcmeWire.cancel("1"))
        let ends = harness.observer.steps.filter { $0.kind == .outcome }
        #expect(ends.map(\.ending) == [.outcome("cancelled")])
        #expect(ends.map(\.trace) == [TraceID(of: .ada("1"))])
    }

    @Test func `a push that comes again is told as known, and a list that says the same isn't`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.server.offer(AcmeWire.claims("1"), to: "ada")
        for _ in 0..<2 { _ = try await authenticator.receive(try AcmeWire.ask("1")) }
        _ = try await authenticator.pending(for: .ada)
        await harness.server.offer(AcmeWire.claims("2"), to: "ada")
        _ = try await authenticator.pending(for: .ada)
        let received = harness.observer.steps.filter { $0.kind == .receive }
        #expect(received.map(\.isRepeated) == [false, true, false])
        #expect(received.last?.trace == TraceID(of: .ada("2")))
    }

    @Test func `a message that is refused has no trace`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let forged = try AcmeWire.push(AcmeWire.claims("1"), to: "ada", key: "wrong")
        #expect(await code { try await authenticator.receive(forged) } == .untrusted)
        #expect(harness.observer.steps.map(\.trace) == [nil])
        #expect(harness.observer.steps.map(\.ending) == [.failed("untrusted")])
    }

    @Test func `what the user chose, typed and was shown is in no step`() async throws {
        let harness = AuthenticatorHarness(verifier: .willing(pin: "canary-pin"))
        let authenticator = try await harness.enrolled(["ada"], pin)
        let claims = AcmeWire.claims("1", prompt: "choose")
        let challenge = try await authenticator.open(try AcmeWire.push(claims, to: "ada"))
        _ = try await authenticator.resolve(challenge, with: .choose("12"))
        _ = try await authenticator.resolve(challenge, with: .choose("34"))
        // Another decision than the one that stands, whose error holds that.
        _ = try? await authenticator.resolve(challenge, with: .choose("56"))
        _ = try await authenticator.receive(try AcmeWire.ask("2"))
        _ = try await authenticator.deny(.init("2", of: .ada), .custom("canary-reason"))
        _ = try? await authenticator.deny(.init("2", of: .ada), .custom("canary-other"))
        #expect(harness.observer.steps.count > 8)
        var told = ""
        dump(harness.observer.steps, to: &told)
        for content in ["canary", "\"12\"", "\"34\"", "\"56\"", "number:", "Log in?", "\"ada\""] {
            #expect(!told.contains(content), "\(content)")
        }
    }

    // MARK: Traces

    @Test func `a trace is the same in every version, and another for each challenge`() {
        #expect("\(TraceID(of: .ada("1")))" == "d2bcad6bcb8ee395e1f1c70b21ab19d5")
        let ids = (0..<1000).map { TraceID(of: .ada("\($0)")) }
        #expect(Set(ids).count == 1000)
        #expect(ids.allSatisfy { "\($0)".wholeMatch(of: /[0-9a-f]{32}/) != nil })
        // No part runs into the next.
        #expect(
            TraceID(of: Challenge.ID("a1", of: .init("ad", of: "acme")))
                != TraceID(of: Challenge.ID("1", of: .init("ada", of: "acme"))))
    }
}
