import Foundation
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushPlatform
import PushTesting
import Testing

/// What the article *Showing notifications* quotes.
@Suite struct `the article on notifications` {
    // snippet: received
    /// Takes a push; says whether the app should look at it itself.
    func received(
        _ push: PushMessage, by authenticator: PushAuthenticator
    ) async throws(PushError) -> Bool {
        switch try await authenticator.receive(push) {
        case .notOurs: true
        // What is new is told as an update as well, and shown by the loop below.
        case .nothingNew, .new: false
        }
    }
    // end snippet

    // snippet: updates
    /// Shows what waits for an answer and takes away what is over, for as long as the app runs.
    func present(
        from authenticator: PushAuthenticator, on board: some NotificationBoard,
        by policy: NotificationPolicy
    ) async {
        for await update in await authenticator.updates() {
            // A notification that isn't shown is no reason to end: the app's own list has it, too.
            try? await authenticator.present(update, on: board, by: policy)
        }
    }
    // end snippet

    @Test func `a push is shown by the loop, and the app's own is left to it`() async throws {
        let am = ForgeRockSimulator()
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: am), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), device: Device(name: "phone"))
        let authenticator = PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment)
        try await authenticator.deviceTokenChanged(.fcm("token"))
        let offer = try #require(
            try authenticator.offers(for: try await am.invitation(for: "jane")).first)
        _ = try await authenticator.enroll(offer)
        let board = Board()
        let presenting = Task {
            await present(from: authenticator, on: board, by: NotificationPolicy())
        }
        // The loop has subscribed once it has shown the first.
        while await board.shown.isEmpty {
            _ = try await am.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await am.takePushes().last)
            #expect(try await !received(push.message(), by: authenticator))
            try await Task.sleep(for: .milliseconds(10))
        }
        presenting.cancel()
        let own = try PushMessage(json: Data(#"{"aps":{"alert":"Hello"}}"#.utf8))
        #expect(try await received(own, by: authenticator))
    }

    private actor Board: NotificationBoard {
        private(set) var shown: [LocalNotification] = []

        func posted() -> [PostedNotification] { [] }
        func post(_ notification: LocalNotification) { shown.append(notification) }
        func remove(_ identifiers: [String]) {}
    }
}
