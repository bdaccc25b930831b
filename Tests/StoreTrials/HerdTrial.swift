import Foundation
import HTTPTypes
package import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting

/// Many processes that start at once over a store with much that is over, and a little that isn't.
package struct HerdTrial: Sendable {
    /// What was found.
    package struct Tally: Sendable, CustomStringConvertible {
        package let reads: Int
        package let writes: Int
        /// Decisions that reached the vendor, each once.
        package let sentOnce: Int

        package var description: String {
            "\(reads) reads, \(writes) writes, \(sentOnce) sent once"
        }
    }

    /// A vendor that can't be reached for a while.
    private struct Gate: Transport {
        let base: SimulatedTransport
        let isShut: Locked<Bool>

        func send(
            _ request: HTTPRequest, body: Data
        ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
            if isShut.withLock({ $0 }) { throw PushError(.unreachable, "The vendor is away.") }
            return try await base.send(request, body: body)
        }
    }

    private let first: any CredentialStore
    private let others: [CountingStore]
    private let simulator = ForgeRockSimulator()
    private let isShut = Locked(false)
    private let user = "herd \(UInt32.random(in: 0...UInt32.max))"

    /// Creates a trial.
    ///
    /// - Parameters:
    ///   - first: The store of the process that leaves something behind.
    ///   - others: Those of the processes that start then, to the same engine.
    package init(_ first: any CredentialStore, others: [any CredentialStore]) {
        self.first = first
        self.others = others.map { CountingStore($0) }
    }

    /// Answers challenges, leaves decisions that the vendor couldn't be told, and starts the others.
    ///
    /// - Returns: What the others asked of their stores, and what the vendor has got.
    /// - Throws: What the vendor's simulator, or the first process, throws.
    package func run(finished: Int, decided: Int) async throws -> Tally {
        let network = SimulatedTransport(
            faults: FaultPlan(),
            server: { [simulator] in await simulator.respond(to: $0, body: $1) })
        let leaver = try authenticator("first", first, network)
        try await leaver.deviceTokenChanged(.fcm("trial-token"))
        guard let offer = try leaver.offers(for: try await simulator.invitation(for: user)).first
        else { throw PushError(.invalidInvitation, "There is no offer.") }
        _ = try await leaver.enroll(offer)
        _ = try await leaver.resume()
        for _ in 0..<finished { _ = try await login(at: leaver) }
        isShut.withLock { $0 = true }
        var logins: [SimulatedLogin.ID] = []
        for _ in 0..<decided { logins.append(try await login(at: leaver)) }
        isShut.withLock { $0 = false }
        let before = await network.exchanges.count
        let started = try others.enumerated().map {
            try authenticator("process \($0)", $1, network)
        }
        await withTaskGroup(of: Void.self) { group in
            for authenticator in started { group.addTask { _ = try? await authenticator.resume() } }
        }
        var (reads, writes, sentOnce) = (0, 0, 0)
        for store in others {
            writes += await store.durableTrips
            reads += await store.trips - store.durableTrips
        }
        for login in logins where try await simulator.status(of: login) == .approved {
            sentOnce += 1
        }
        let sent = await network.exchanges.count - before
        return Tally(reads: reads, writes: writes, sentOnce: sent == decided ? sentOnce : 0)
    }

    private func login(at phone: PushAuthenticator) async throws -> SimulatedLogin.ID {
        let login = try await simulator.startLogin(of: user, asking: .confirm)
        guard let message = try await simulator.takePushes().map({ try $0.message() }).last,
            let id = try await phone.receive(message).compactMap(\.challenge).first
        else { throw PushError(.notFound, "There is no push.") }
        _ = try? await phone.resolve(try await phone.challenge(id), with: .approve)
        return login.id
    }

    private func authenticator(
        _ name: String, _ store: any CredentialStore, _ network: SimulatedTransport
    ) throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: Gate(base: network, isShut: isShut), store: store,
            verifier: ScriptedVerifier.willing(), device: Device(name: "Trial"))
        var configuration = PushConfiguration()
        configuration.instance = name
        configuration.bursts = .warn(.init(window: .milliseconds(1)))
        return PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment,
            configuration: configuration)
    }
}
