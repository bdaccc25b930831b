import PushCore
import PushTesting

/// A user who does as told: enters passwords in order, the last one again and again.
actor ScriptedUser: UserVerifier {
    static let password = Sample.pin

    private(set) var requests: [VerificationRequest] = []
    private var passwords: [String]
    private var newPIN: String?
    private let isWilling: Bool

    /// Whether the user chooses an alternative with biometry; `nil`: the first alternative.
    private var likesBiometry: Bool?
    private var refusals = 0
    private var gate: Gate?
    private var watchers: [(count: Int, CheckedContinuation<Void, Never>)] = []

    init(_ passwords: String..., isWilling: Bool = true) {
        self.passwords = passwords.isEmpty ? [Self.password] : passwords
        self.isWilling = isWilling
    }

    private init(typing pin: String) {
        (passwords, isWilling, likesBiometry) = ([pin], true, false)
    }

    /// A user who types a password wherever one will do.
    static func typing(_ pin: String = Sample.pin) -> ScriptedUser { ScriptedUser(typing: pin) }

    func will(enter passwords: String...) { self.passwords = passwords }

    /// What the user types from now on.
    func type(_ pin: String) { passwords = [pin] }

    /// What the user chooses where a new PIN is asked for.
    func choose(_ newPIN: String) { self.newPIN = newPIN }

    func prefer(biometry: Bool) { likesBiometry = biometry }

    /// The user gives up the next time.
    func giveUp() { refusals += 1 }

    /// The user thinks until a gate opens.
    func think(at gate: Gate?) { self.gate = gate }

    /// What was asked of the user for answers, oldest first.
    var answerRequests: [VerificationRequest] {
        requests.filter { if case .answer = $0.purpose { true } else { false } }
    }

    /// Returns once the user has been asked so often.
    func untilAsked(times count: Int) async {
        guard requests.count < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        requests.append(request)
        for watcher in watchers where watcher.count <= requests.count { watcher.1.resume() }
        watchers.removeAll { $0.count <= requests.count }
        if let gate { await gate.pass() }
        guard isWilling, refusals == 0 else {
            refusals = max(0, refusals - 1)
            throw PushError(.cancelled, "The user gave up.")
        }
        let liked = request.alternatives.first { list in
            list.contains { $0 == .biometry || $0 == .newBiometry } == likesBiometry
        }
        return (liked ?? request.alternatives.first ?? []).map { factor in
            switch factor {
            case .presence: .presence
            case .newPIN: .pin(newPIN.map { Secret(Array($0.utf8)) } ?? next())
            case .biometry, .newBiometry: .biometry(nil)
            case .deviceCredential: .deviceCredential
            case .pin, .code: .pin(next())
            }
        }
    }

    private func next() -> Secret {
        let text = passwords.count > 1 ? passwords.removeFirst() : passwords[0]
        return Secret(Array(text.utf8))
    }
}
