import Foundation
package import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting

/// Several authenticators, each over a store of its own to one engine, get every push and say yes or no as
/// chance has it. What the vendor gets is counted.
package struct DecisionTrial: Sendable {
    /// What was found.
    package struct Tally: Sendable, CustomStringConvertible {
        package var challenges = 0
        /// Challenges with two different decisions at the vendor.
        package var twoDecisions = 0
        /// Challenges whose answer came more than once.
        package var sentTwice = 0
        /// Words of an authenticator that weren't the vendor's.
        package var wrongWords: [String] = []
        /// How many authenticators a challenge was new for, and how often.
        package var newFor: [Int: Int] = [:]
        /// Challenges that nobody's decision reached the vendor for.
        package var unanswered = 0
        package var outcomes: [String: Int] = [:]

        package var description: String {
            "challenges \(challenges), with two decisions \(twoDecisions), answer sent more than once "
                + "\(sentTwice), unanswered \(unanswered), wrong words \(wrongWords), new for so many: "
                + "\(newFor), outcomes \(outcomes)"
        }
    }

    private let stores: [any CredentialStore]
    private let offset: Double
    private let lease: Duration
    private let simulator = ForgeRockSimulator()

    /// Creates a trial.
    ///
    /// - Parameters:
    ///   - stores: One for each authenticator.
    ///   - offset: How far ahead of the others' clock each other authenticator's is, in seconds.
    ///   - lease: How long one leaves a decision to another.
    package init(
        _ stores: [any CredentialStore], clockOffset offset: Double = 0,
        lease: Duration = .seconds(2)
    ) {
        self.stores = stores
        self.offset = offset
        self.lease = lease
    }

    /// Answers challenges until a time is over.
    ///
    /// - Parameters:
    ///   - length: The time.
    ///   - count: How many challenges there are at the least, however long that takes.
    /// - Returns: What was found.
    /// - Throws: What the vendor's simulator or enrolling throws.
    package func run(for length: Duration, atLeast count: Int = 4) async throws -> Tally {
        let network = SimulatedTransport(
            faults: FaultPlan(),
            server: { [simulator] in await simulator.respond(to: $0, body: $1) })
        let authenticators = try stores.indices.map { try authenticator($0, network) }
        let first = authenticators[0]
        try await first.deviceTokenChanged(.fcm("trial-token"))
        let user = "trial \(UInt32.random(in: 0...UInt32.max))"
        guard let offer = try first.offers(for: try await simulator.invitation(for: user)).first
        else { throw PushError(.invalidInvitation, "There is no offer.") }
        _ = try await first.enroll(offer)
        var tally = Tally()
        let end = ContinuousClock.now + length
        while ContinuousClock.now < end || tally.challenges < count {
            let login = try await simulator.startLogin(of: user, asking: .confirm)
            guard let message = try await simulator.takePushes().map({ try $0.message() }).last
            else { continue }
            let words = await answers(to: message, authenticators)
            tally.challenges += 1
            tally.newFor[words.reduce(0) { $0 + $1.newCount }, default: 0] += 1
            for word in words { tally.outcomes[word.outcome, default: 0] += 1 }
            let status = try await settled(login.id, authenticators)
            if status == .waiting { tally.unanswered += 1 }
            // One that expired while this machine was busy tells nothing of who said what.
            for case let told? in words.map(\.told) where told != "\(status)" && status != .expired
            {
                tally.wrongWords.append("told \(told), is \(status)")
            }
        }
        look(at: await network.exchanges, &tally)
        return tally
    }

    private struct Word: Sendable {
        var newCount = 0
        var outcome = "nothing"
        /// What it said that the vendor took.
        var told: String?
    }

    private func authenticator(
        _ index: Int, _ network: SimulatedTransport
    ) throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: network, store: stores[index], verifier: ScriptedVerifier.willing(),
            clock: StagedClock(SystemClock(), ahead: index % 2 == 0 ? 0 : offset),
            device: Device(name: "Trial"))
        var configuration = PushConfiguration()
        configuration.lease = lease
        configuration.instance = "process \(index)"
        return PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment,
            configuration: configuration)
    }

    private func answers(
        to message: PushMessage, _ authenticators: [PushAuthenticator]
    ) async -> [Word] {
        await withTaskGroup(of: Word.self) { group in
            for authenticator in authenticators {
                group.addTask {
                    var word = Word()
                    do {
                        let receptions = try await authenticator.receive(message)
                        word.newCount = receptions.count(where: \.isNew)
                        guard let id = receptions.compactMap(\.challenge).first else { return word }
                        let isYes = Bool.random()
                        let outcome =
                            isYes
                            ? try await authenticator.resolve(
                                try await authenticator.challenge(id), with: .approve)
                            : try await authenticator.deny(id)
                        word.outcome = "\(outcome)"
                        if outcome == .delivered { word.told = isYes ? "approved" : "denied" }
                    } catch {
                        word.outcome = (error as? PushError).map { "\($0.code)" } ?? "\(error)"
                    }
                    return word
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Whoever is left takes it up until the vendor has a word.
    private func settled(
        _ login: SimulatedLogin.ID, _ authenticators: [PushAuthenticator]
    ) async throws -> SimulatedLogin.Status {
        for _ in 0..<120 {
            let status = try await simulator.status(of: login)
            if status != .waiting { return status }
            for authenticator in authenticators { _ = try? await authenticator.resume() }
            try await Task.sleep(for: .milliseconds(500))
        }
        return try await simulator.status(of: login)
    }

    private func look(at exchanges: [RecordedExchange], _ tally: inout Tally) {
        var kinds: [String: Set<Bool>] = [:]
        var copies: [String: Int] = [:]
        for exchange in exchanges {
            guard let body = try? JSON(parsing: exchange.body), let id = body["messageId"]?.string,
                let part = body["jwt"]?.string?.split(separator: ".").dropFirst().first,
                let claims = Data(base64Encoded: padded(part)).flatMap({ try? JSON(parsing: $0) })
            else { continue }
            copies[id, default: 0] += 1
            kinds[id, default: []].insert(claims["deny"]?.bool ?? false)
        }
        tally.twoDecisions = kinds.values.count { $0.count > 1 }
        tally.sentTwice = copies.values.count { $0 > 1 }
    }

    private func padded(_ text: Substring) -> String {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        return standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
    }
}
