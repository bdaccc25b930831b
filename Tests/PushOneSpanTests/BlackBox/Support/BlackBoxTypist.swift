import PushCore
import PushTesting

extension BlackBox {
    /// The user at the keypad.
    actor Typist: UserVerifier {
        private(set) var requests: [VerificationRequest] = []
        private var pin: String
        private var newPIN: String?
        private var prefersBiometry = false
        private var refusals = 0
        private var gate: Gate?

        init(pin: String = BlackBox.pin) { self.pin = pin }

        /// What the user types from now on.
        func type(_ pin: String) { self.pin = pin }

        /// What the user chooses where a new PIN is asked for.
        func choose(_ newPIN: String) { self.newPIN = newPIN }

        func prefer(biometry: Bool) { prefersBiometry = biometry }

        /// The user gives up the next time.
        func giveUp() { refusals += 1 }

        /// The user thinks until a gate opens.
        func think(at gate: Gate?) { self.gate = gate }

        /// What was asked of the user for answers, oldest first.
        var answerRequests: [VerificationRequest] {
            requests.filter { if case .answer = $0.purpose { true } else { false } }
        }

        func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
            requests.append(request)
            if let gate { await gate.pass() }
            if refusals > 0 {
                refusals -= 1
                throw PushError(.cancelled, "The user gave up.")
            }
            let liked = request.alternatives.first { list in
                list.contains { $0 == .biometry || $0 == .newBiometry } == prefersBiometry
            }
            return (liked ?? request.alternatives.first ?? []).compactMap { factor in
                switch factor {
                case .presence: .presence
                case .pin, .code: .pin(Secret(Array(pin.utf8)))
                case .newPIN: .pin(Secret(Array((newPIN ?? pin).utf8)))
                case .biometry, .newBiometry: .biometry(nil)
                case .deviceCredential: .deviceCredential
                @unknown default: nil
                }
            }
        }
    }
}
