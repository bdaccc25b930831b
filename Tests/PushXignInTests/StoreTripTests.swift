import Foundation
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// How often a login asks the store, which may be on another machine.
@Suite struct StoreTripTests {
    @Test func `a login takes five trips to the store, three of them writes`() async throws {
        let (store, clock) = (CountingStore(), ManualClock(Date(WorkedExample.now)))
        let manager = XignInSimulator(.init(clock: clock))
        let app = try App(over: SimulatedTransport(to: manager), store: store, clock: clock)
        try await app.authenticator.deviceTokenChanged(.fcm(WorkedExample.token))
        try await app.enroll(await manager.invitation(for: "alice"))
        func announced() async throws -> Challenge.ID {
            _ = try await manager.startLogin(of: "alice", asking: .confirm)
            let push = try #require(await manager.takePushes().last)
            return try #require(
                try await app.authenticator.receive(push.message()).first?.challenge)
        }
        let first = try await app.authenticator.challenge(try await announced())
        #expect(try await app.authenticator.resolve(first, with: .approve) == .delivered)
        let login = try await store.login(at: app.authenticator, announced)
        #expect(login.trips == [2, 1, 2])
        #expect(login.durable == 3 && login.outcome == .delivered)
    }
}
