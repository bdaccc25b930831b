import Foundation
import PushCapture
import PushCore
import PushTesting

/// Plays the cases of one provider to a new device and a new server, and compares what both say.
struct ReplayRun {
    private static let user = "replay"
    private let name: String
    private let vendor: ReplayVendor
    private let transport: ReplayTransport
    private let person = PINUser()
    private let lines = ReplayLines()
    private let provider: any PushProvider
    private let authenticator: PushAuthenticator

    /// Enrolls a device.
    init(_ name: String, _ vendor: ReplayVendor) async throws {
        self.name = name
        self.vendor = vendor
        try await vendor.simulator.move(to: ReplayVendor.origin)
        transport = ReplayTransport(to: vendor)
        let id = ProviderID(rawValue: name)
        let log = CaptureLog(by: "push-lab", of: [(id, name)]) { [lines] in lines.add($0) }
        let environment = PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: person,
            device: Device(name: "push-lab"))
        let plugin = try await vendor.plugin(environment)
        provider = log.around([plugin])[0]
        var configuration = PushConfiguration()
        // One try, as the capture has each.
        configuration.backoff.tries = 0
        configuration.hintInterval = .zero
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: configuration)
        log.watch(authenticator)
        try await authenticator.deviceTokenChanged(.fcm("push-lab-replay"))
        let invitation = try await vendor.simulator.invitation(for: Self.user)
        guard let offer = try authenticator.offers(for: invitation).first else {
            throw ReplayFailure("\(name): the simulator's invitation isn't understood")
        }
        let enrollment = try await authenticator.enroll(offer)
        try await vendor.settle(Self.user)
        _ = try? await authenticator.refresh(enrollment.id)
        // A device that was to be confirmed first couldn't tell its token before.
        try await authenticator.deviceTokenChanged(.fcm("push-lab-replay"))
    }

    /// Plays one case.
    func play(_ replayed: ReplayCase) async -> [ReplayRow] {
        let recorded = ([replayed.message] + replayed.steps).compactMap(\.self)
        lines.clear()
        do {
            let login = try await vendor.start(Self.user, replayed.kind, replayed.fault)
            try await deliver(replayed, login)
        } catch let failure as ReplayFailure {
            return recorded.prefix(1).map {
                ReplayRow(name, $0, .unplayed("\(failure.text)"))
            }
        } catch let error as PushError {
            // What the capture's device made of it is in the lines.
            if lines.all.isEmpty {
                return recorded.prefix(1).map { ReplayRow(name, $0, .unplayed(error.reason)) }
            }
        } catch {
            return recorded.prefix(1).map { ReplayRow(name, $0, .unplayed("\(error)")) }
        }
        var left = lines.all
        return recorded.map { line in
            let mine = left.firstIndex { $0.event == line.event }.map { left.remove(at: $0) }
            return ReplayRow(name, line, ReplayWords(line), mine.map(ReplayWords.init))
        }
    }

    private func deliver(_ replayed: ReplayCase, _ login: SimulatedLogin) async throws {
        var challenges: [Challenge.ID] = []
        for push in await vendor.simulator.takePushes().prefix(1) {
            challenges += try await authenticator.receive(push.message()).compactMap(\.challenge)
        }
        guard !replayed.steps.isEmpty else { return }
        if challenges.isEmpty {
            challenges = try await authenticator.pending().found.compactMap(\.challenge)
        }
        guard let id = challenges.first else {
            throw PushError(.notFound, "No challenge came of it.")
        }
        let challenge = try await authenticator.challenge(id)
        let answers = replayed.steps.filter { $0.event == "answer" }
        for (index, step) in replayed.steps.filter({ $0.event == "decide" }).enumerated() {
            let answer = index < answers.count ? answers[index] : nil
            try await decide(step, answer, challenge, login, replayed.troubles)
        }
    }

    private func decide(
        _ step: CaptureReading.Line, _ answer: CaptureReading.Line?, _ challenge: Challenge,
        _ login: SimulatedLogin, _ troubles: [ReplayTrouble?]
    ) async throws {
        let isWrong = answer?.verdict == "notTaken"
        await person.type(
            isWrong && answer?.members["why"] == "verification" ? "13579" : PINUser.right)
        if answer?.verdict == "expired" { try await vendor.expire(login.id) }
        await transport.plan(troubles)
        let resolution: Resolution =
            switch step.members["resolution"]?.string {
            case "deny": .deny(.unexpected)
            case "choose":
                .choose(
                    isWrong
                        ? challenge.wrongChoice(beside: login.shown)
                        : login.shown ?? challenge.wrongChoice(beside: nil))
            case "enter": .enter(isWrong ? Self.another(login.shown) : login.shown ?? "")
            default: .approve
            }
        _ = try? await authenticator.resolve(challenge, with: resolution)
        await transport.plan([])
    }

    /// A number of as many digits that isn't the one shown.
    private static func another(_ shown: String?) -> String {
        String((shown ?? "0").map { $0 == "9" ? "0" : "9" })
    }
}

/// The lines that a run wrote. A lock guards them, which is why `@unchecked Sendable` is safe.
private final class ReplayLines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [CaptureReading.Line] = []

    var all: [CaptureReading.Line] { lock.withLock { lines } }

    func add(_ text: String) {
        guard let members = (try? JSON(parsing: text))?.object else { return }
        lock.withLock { lines.append(CaptureReading.Line(number: 0, members: members)) }
    }

    func clear() { lock.withLock { lines = [] } }
}
