import Foundation
import PushCore
import PushTesting
import Testing

struct DoublesTests {
    private let start = Date(timeIntervalSince1970: 1000)

    @Test func `a manual clock moves only when it is moved`() {
        let clock = ManualClock(start)
        #expect(clock.now == start && clock.elapsed == .zero)
        clock.advance(by: .milliseconds(1500))
        #expect(clock.now == start + 1.5 && clock.elapsed == .milliseconds(1500))
        clock.set(start - 60)
        #expect(clock.now == start - 60 && clock.elapsed == .milliseconds(1500))
    }

    @Test func `seeded random bytes repeat`() {
        let one = SeededRandom(seed: 7)
        let two = SeededRandom(seed: 7)
        let first = one.bytes(100)
        #expect(first.isEqualInConstantTime(to: two.bytes(100)))
        #expect(!one.bytes(100).isEqualInConstantTime(to: first))
        #expect(!SeededRandom(seed: 8).bytes(100).isEqualInConstantTime(to: first))
        #expect(SeededRandom(seed: 0).next() == 0xE220_A839_7B1D_CDAF)
    }

    @Test func `a willing user brings what the first alternative asks for`() async throws {
        let user = ScriptedVerifier.willing(pin: "42")
        let purpose = VerificationRequest.Purpose.manage(.init("a", of: "acme"), "test")
        let asked: [Factor] = [
            .presence, .pin, .newPIN, .biometry, .newBiometry, .deviceCredential, .code("mail"),
        ]
        let evidence = try await user.verify(
            VerificationRequest(purpose, alternatives: [asked, [.pin]]))
        #expect(evidence.count == asked.count)
        for case .pin(let pin) in evidence {
            pin.withBytes { #expect(Array($0) == Array("42".utf8)) }
        }
        #expect(try await user.verify(VerificationRequest(purpose, alternatives: [])).isEmpty)
        #expect(await user.requests.count == 2)
    }

    @Test func `an absent user gives up, and the request is remembered`() async {
        let user = ScriptedVerifier.absent()
        let purpose = VerificationRequest.Purpose.manage(.init("a", of: "acme"), "test")
        await #expect(throws: PushError.self) {
            try await user.verify(VerificationRequest(purpose, alternatives: [[.pin]]))
        }
        #expect(await user.requests.count == 1)
    }

    @Test func `an observer remembers what it heard, from any thread`() async {
        let observer = RecordingObserver()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    observer.observe(PushObservation(.noticed, "Odd.", provider: nil))
                }
            }
        }
        #expect(observer.observations.count == 100)
    }

    @Test func `a store in memory refuses what it is told to refuse`() async throws {
        let store = InMemoryStore()
        let good = RecordKey("good", "a")
        await store.refuseWrites {
            $0.collection == "bad" ? PushError(.storage, "Disk full.") : nil
        }
        try await store.write(Secret([1]), for: good, replacing: nil)
        await #expect(throws: PushError.self) {
            try await store.write(Secret([1]), for: RecordKey("bad", "a"), replacing: nil)
        }
        #expect(await store.count == 1)
    }

    @Test func `a simulated push becomes the message an app would get`() throws {
        let push = SimulatedPush(to: .fcm("t"), payload: Data(#"{"acme":"1"}"#.utf8))
        #expect(try push.message()["acme"] == "1")
        let broken = SimulatedPush(to: .fcm("t"), payload: Data("[]".utf8))
        #expect(throws: PushError.self) { try broken.message() }
    }

    @Test func `a login shows what its page shows`() {
        let login = SimulatedLogin(id: "1", shown: "42")
        #expect(login.id == "1" && login.shown == "42")
        #expect(SimulatedLogin.Kind.allCases.count == 3)
    }
}
