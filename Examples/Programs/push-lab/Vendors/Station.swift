import Foundation
import LocalServer
import PushCore
import PushPlatform
import PushTesting

/// A simulator behind a real server, and a device that reaches it through the real transport.
struct Station<Simulator: VendorSimulator> {
    let simulator: Simulator
    let host: Host
    let device: LabDevice

    var authenticator: PushAuthenticator { device.authenticator }

    /// Where the store is, and beside it its key.
    var directory: URL { device.directory }

    /// The certificate of who vouches for the server, as a PEM file.
    var authority: String { device.authority }

    /// Starts the server.
    init(
        _ simulator: Simulator, speaking wire: LocalServer.Wire, device: LabDevice
    ) async throws {
        self.simulator = simulator
        self.device = device
        host = try await Host(simulator, speaking: wire)
    }

    /// Puts a device beside a server that runs.
    init(_ simulator: Simulator, at host: Host, device: LabDevice) {
        self.simulator = simulator
        self.host = host
        self.device = device
    }

    /// The same server, and another device.
    func visited(by device: LabDevice) -> Station {
        Station(simulator, at: host, device: device)
    }

    /// A device with the same store that holds the server to pins.
    func device(with pins: ServerPins) throws -> PushAuthenticator {
        try device.authenticator(with: pins)
    }

    /// How many records the store has, and how many challenges the enrollments' records know.
    func recordCount() async throws -> Int {
        var count = 0
        for collection in SoakStore.collections {
            for name in try await device.store.names(in: collection) {
                count += 1
                guard collection == RecordedRows.collection,
                    let (value, _) = try await device.store.read(RecordKey(collection, name))
                else { continue }
                let known = try RecordedRows(in: value.withBytes { Data($0) })
                count += known.rows.count + known.traces
            }
        }
        return count
    }

    /// Enrolls a user's account by the simulator's own invitation.
    func enroll(_ user: String) async throws -> Enrollment {
        try await authenticator.enroll(simulator.invitation(for: user)) { _ in true }
    }

    /// Takes the pushes that are on their way, and hands them to the authenticator.
    func receive() async throws -> [Reception] {
        var receptions: [Reception] = []
        for push in await simulator.takePushes() {
            receptions += try await authenticator.receive(push.message())
        }
        return receptions
    }

    /// Takes the pushes that are on their way, and opens the one challenge among them that waits.
    func receiveChallenge() async throws -> Challenge {
        // Not only a new one: a list that an earlier push led to may have brought it first.
        for id in try await receive().compactMap(\.challenge) {
            guard case .open? = try await authenticator.record(of: id)?.state else { continue }
            return try await authenticator.challenge(id)
        }
        throw PushError(.notFound, "No challenge came that waits.")
    }

    /// Answers a challenge, and says what the vendor said and where the login stands then.
    func answer(
        _ challenge: Challenge, _ resolution: Resolution, _ login: SimulatedLogin
    ) async throws -> String {
        let outcome = try await authenticator.resolve(challenge, with: resolution)
        return try await "\(outcome.words), \(status(of: login))"
    }

    /// Starts a login, opens its challenge and answers it.
    func answer(
        _ user: String, _ kind: SimulatedLogin.Kind,
        _ resolution: (SimulatedLogin, Challenge) -> Resolution
    ) async throws -> String {
        let login = try await simulator.startLogin(of: user, asking: kind)
        let challenge = try await receiveChallenge()
        return try await answer(challenge, resolution(login, challenge), login)
    }

    /// Receives the pushes of a login, each of which should be refused, and says how they were,
    /// whether the device kept anything, and where the login stands.
    func refuse(
        _ start: () async throws -> SimulatedLogin
    ) async throws -> String {
        let login = try await start()
        var refusals: [String] = []
        var kept = "nothing kept"
        for push in await simulator.takePushes() {
            // Counted here alone: an earlier push has the server asked what waits, and it lists the
            // true challenge behind a forged push.
            let before = try await recordCount()
            let received = await Result { () async throws(PushError) in
                try await authenticator.receive(push.message())
            }
            if try await recordCount() != before { kept = "something kept" }
            refusals.append(received.refusal)
        }
        return try await "\(refusals.joined(separator: ", ")), \(kept), \(status(of: login))"
    }

    /// Where a login stands, in a few words.
    func status(of login: SimulatedLogin) async throws -> String {
        switch try await simulator.status(of: login.id) {
        case .waiting: "still waiting"
        case .approved: "logged in"
        case .denied: "login denied"
        case .failed: "login failed"
        case .expired: "login expired"
        @unknown default: "login in an unknown state"
        }
    }

    func close() async {
        await host.stop()
    }
}

extension Outcome {
    /// The outcome in a few words, for the table.
    var words: String {
        switch self {
        case .delivered: "taken"
        case .notTaken(let refusal): refusal.mayRetry ? "may retry" : "not taken"
        case .expired: "expired"
        case .answeredElsewhere: "answered elsewhere"
        case .cancelled: "cancelled"
        case .ended: "ended"
        case .code: "code"
        case .verifyAgain: "verify again"
        case .unknown: "unknown"
        @unknown default: "\(self)"
        }
    }
}

extension Result where Failure == PushError {
    /// The code of the error, or what came instead.
    var refusal: String {
        switch self {
        case .success: "not refused"
        case .failure(let error): "\(error.code)"
        }
    }
}

extension Challenge {
    /// A number that isn't the one shown.
    func wrongChoice(beside shown: String?) -> String {
        guard case .choose(let options) = prompt else { return "" }
        return options.first { $0 != shown } ?? ""
    }
}
