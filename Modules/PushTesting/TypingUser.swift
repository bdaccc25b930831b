package import PushCore

/// A user who types what a test says, and proves themselves the way they like best.
package actor TypingUser: UserVerifier {
    /// What was asked, oldest first.
    package private(set) var requests: [VerificationRequest] = []

    private var pins: [String]
    private var newPIN: String?
    private var prefersBiometry: Bool?
    private let isWilling: Bool
    private var refusals = 0
    private var bringsNothing = false
    private var gate: Gate?
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - pins: What is typed, in order; the last one again and again.
    ///   - prefersBiometry: Whether an alternative with biometry is chosen; `nil`: the first.
    ///   - isWilling: Whether the user proves anything at all.
    package init(_ pins: [String], prefersBiometry: Bool? = nil, isWilling: Bool = true) {
        (self.pins, self.prefersBiometry, self.isWilling) = (pins, prefersBiometry, isWilling)
    }

    /// Says what the user types from now on.
    package func type(_ pins: String...) { self.pins = pins }

    /// Says what the user chooses where a new PIN is asked for.
    package func choose(_ newPIN: String) { self.newPIN = newPIN }

    /// Says which alternative the user chooses from now on.
    package func prefer(biometry: Bool) { prefersBiometry = biometry }

    /// Makes the user give up the next time.
    package func giveUp() { refusals += 1 }

    /// Makes the user prove nothing from now on, and say that all is well.
    package func bringNothing() { bringsNothing = true }

    /// Makes the user think until a gate opens.
    package func think(at gate: Gate?) { self.gate = gate }

    /// Returns once the user has been asked so often.
    package func untilAsked(times count: Int) async {
        guard requests.count < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Proves what a request asks for.
    ///
    /// - Throws: `PushError` with the code `cancelled` if the user gives up.
    package func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        requests.append(request)
        for watcher in watchers where watcher.count <= requests.count {
            watcher.continuation.resume()
        }
        watchers.removeAll { $0.count <= requests.count }
        if let gate { await gate.pass() }
        guard isWilling, refusals == 0 else {
            refusals = max(0, refusals - 1)
            throw PushError(.cancelled, "The user gave up.")
        }
        if bringsNothing { return [] }
        let liked = request.alternatives.first { list in
            list.contains { $0 == .biometry || $0 == .newBiometry } == prefersBiometry
        }
        return (liked ?? request.alternatives.first ?? []).compactMap { factor in
            switch factor {
            case .presence: .presence
            case .newPIN: .pin(Secret(copying: newPIN ?? next()))
            case .pin, .code: .pin(Secret(copying: next()))
            case .biometry, .newBiometry: .biometry(nil)
            case .deviceCredential: .deviceCredential
            @unknown default: nil
            }
        }
    }

    private func next() -> String { pins.count > 1 ? pins.removeFirst() : pins.first ?? "" }
}
