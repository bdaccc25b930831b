import Foundation
import PushCore
import PushJOSE
import PushTesting
import Testing

private let morning = Date(timeIntervalSince1970: 1_760_000_000)

/// Requests that are signed with a time.
struct SignedTimeTests {
    private let clock = ManualClock(morning)
    private let server = Endpoint.ServerID(host: "acme.example", of: "acme")
    private let ada = Enrollment.ID("ada", of: "acme")

    private var environment: PushEnvironment {
        PushEnvironment(
            transport: SimulatedTransport(toHosts: [:]), store: InMemoryStore(),
            verifier: ScriptedVerifier.absent(), clock: clock, device: Device(name: "test"))
    }

    /// Asks a server whose clock is ahead, and which takes a time that is at most a minute off.
    ///
    /// - Parameters:
    ///   - ahead: How far ahead, in seconds.
    ///   - tells: Whether its replies tell its time.
    ///   - takes: Whether it takes any time at all.
    /// - Returns: The times that were signed, and whether the last one was taken.
    /// - Throws: What the request throws.
    private func ask(
        ahead: Double, tells: Bool = true, takes: Bool = true
    ) async throws -> (times: [Date], isTaken: Bool) {
        var times: [Date] = []
        let isTaken = try await environment.signingTime(
            at: server, for: ada, tolerance: .seconds(45), isRefused: { !$0 }
        ) { (time) async throws(PushError) -> Bool in
            times.append(time)
            let theirs = morning + ahead + clock.elapsed / .seconds(1)
            let sent = clock.elapsed
            if tells {
                await clock.serverTime.note(theirs, at: server, sent: sent, received: sent)
            }
            return takes && abs(time.timeIntervalSince(theirs)) <= 60
        }
        return (times, isTaken)
    }

    @Test func `a time that is refused is signed again by the server's clock, once`()
        async throws
    {
        let (times, isTaken) = try await ask(ahead: 70)
        #expect(times == [morning, morning + 70.5])
        #expect(isTaken)
        // It's known from now on.
        #expect(try await ask(ahead: 70).times == [morning + 70.5])
    }

    @Test func `a clock is never the reason twice`() async throws {
        let (times, isTaken) = try await ask(ahead: 70, takes: false)
        #expect(times.count == 2 && !isTaken)
    }

    @Test(arguments: [-44.0, 0, 44])
    func `a refusal of a time that was close isn't about the time`(ahead: Double) async throws {
        #expect(try await ask(ahead: ahead, takes: false).times == [morning])
    }

    @Test func `a server that doesn't tell its time is asked once`() async throws {
        #expect(try await ask(ahead: 70, tells: false).times == [morning])
    }

    @Test func `what the first attempt throws is thrown, and nothing is sent again`() async throws {
        var sent = 0
        let error = await #expect(throws: PushError.self) {
            try await environment.signingTime(
                at: server, for: ada, tolerance: .seconds(45), isRefused: { (_: Int) in true }
            ) { (_) async throws(PushError) -> Int in
                sent += 1
                throw PushError(.unreachable, "Nobody is there.")
            }
        }
        #expect(error?.code == .unreachable && sent == 1)
    }
}
