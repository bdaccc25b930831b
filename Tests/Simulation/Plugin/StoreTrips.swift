public import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How often one login asks the store, which may be on another machine.
public struct StoreTrips: Hashable, Sendable, CustomStringConvertible {
    /// How often while the login's message is received, while it is opened, and while it's answered.
    public let received, opened, answered: Int

    /// How many of all trips are writes that must last.
    public let durable: Int

    /// How many records were read by all trips.
    public let reads: Int

    /// What of its own the device read in each of the three parts; nothing in a release build.
    public let texts: [OwnTexts]

    /// All trips.
    public var sum: Int { received + opened + answered }

    /// The trips and what they were for, on one line.
    public var description: String {
        "\(received) + \(opened) + \(answered) = \(sum) trips, \(durable) durable, \(reads) reads"
    }

    /// Counts the trips of a login with a plugin and its simulator, on a device that had one before.
    ///
    /// - Parameters:
    ///   - vendor: Whose plugin.
    ///   - isShared: Whether the store is a server's.
    /// - Returns: The trips of each part of the login.
    /// - Throws: What the plugin throws; `PushError` with the code `notFound` if a part is missing.
    public static func ofLogin(
        with vendor: Vendor, isShared: Bool
    ) async throws(PushError) -> StoreTrips {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_760_000_000))
        let random = SeededRandom(seed: 7)
        guard let plugin = vendor.makePlugin?(PluginSite(clock: clock, random: random)) else {
            throw PushError(.notFound, "The vendor is no plugin's.")
        }
        let simulator = plugin.simulator
        let memory = InMemoryStore(isShared: isShared)
        let store = CountingStore(memory)
        let environment = PushEnvironment(
            transport: SimulatedTransport { request, body in
                await Heard.deaf { await simulator.respond(to: request, body: body) }
            }, store: store, verifier: ScriptedVerifier.willing(), clock: clock, random: random,
            device: Device(name: "phone", platform: .other))
        guard let provider = plugin.provider(environment) else {
            throw PushError(.notFound, "The plugin makes no provider.")
        }
        var configuration = PushConfiguration()
        configuration.asksAfterPush = false
        configuration.hintInterval = .zero
        let phone = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: configuration)
        try await phone.deviceTokenChanged(.fcm("token"))
        guard let offer = try phone.offers(for: try await simulator.invitation(for: "ada")).first
        else { throw PushError(.notFound, "Nobody knows the invitation.") }
        let enrollment = try await phone.enroll(offer)
        _ = try await phone.refresh(enrollment.id)
        try await phone.resume()
        var last: StoreTrips?
        for _ in 0..<2 {
            _ = await simulator.takePushes()
            _ = try await simulator.startLogin(of: "ada", asking: .confirm)
            guard let push = await simulator.takePushes().last else {
                throw PushError(.notFound, "The server sends no push.")
            }
            last = try await trips(of: phone, push.message(), store, memory)
            clock.advance(by: .seconds(30))
        }
        guard let last else { throw PushError(.notFound, "There was no login.") }
        return last
    }

    private static func trips(
        of phone: PushAuthenticator, _ message: PushMessage, _ store: CountingStore,
        _ memory: InMemoryStore
    ) async throws(PushError) -> StoreTrips {
        let (start, durable, reads) = (
            await store.trips, await store.durableTrips, await store.reads
        )
        let receiving = try await OwnTexts.read(in: memory) { () async throws(PushError) in
            try await phone.receive(message)
        }
        guard let id = receiving.value.compactMap(\.challenge).first else {
            throw PushError(.notFound, "The push announces nothing.")
        }
        let received = await store.trips
        let opening = try await OwnTexts.read(in: memory) { () async throws(PushError) in
            try await phone.challenge(id)
        }
        let opened = await store.trips
        let answering = try await OwnTexts.read(in: memory) { () async throws(PushError) in
            try await phone.resolve(opening.value, with: .approve)
        }
        guard answering.value == .delivered else {
            throw PushError(.notFound, "The vendor said \(answering.value).")
        }
        return StoreTrips(
            received: received - start, opened: opened - received,
            answered: await store.trips - opened, durable: await store.durableTrips - durable,
            reads: await store.reads - reads,
            texts: [receiving.texts, opening.texts, answering.texts])
    }
}
