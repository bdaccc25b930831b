import HTTPTypes
import PushCore

/// A person with a PIN and, if there is one, a finger that unlocks a secret.
actor Customer: UserVerifier {
    static let pin = "13972684"
    static let finger = Secret(Array(repeating: 0x5A, count: 32))

    private(set) var requests: [VerificationRequest] = []
    private var pin = Customer.pin
    private var code = "246810"
    private var finger: Secret?
    private var usesFinger = false
    private var hasLeft = false

    init(finger: Secret? = nil) {
        self.finger = finger
        usesFinger = finger != nil
    }

    func type(_ pin: String) { self.pin = pin }
    func type(code: String) { self.code = code }
    /// Lays on a finger, which unlocks a secret; with `nil`, only what is typed is left.
    func lay(finger: Secret?) {
        self.finger = finger
        usesFinger = finger != nil
    }

    func leave() { hasLeft = true }

    /// Chooses between the finger and the PIN.
    func prefer(finger: Bool) { usesFinger = finger }

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        requests.append(request)
        guard !hasLeft else { throw PushError(.cancelled, "The user left.") }
        let isJoining = if case .join = request.purpose { true } else { false }
        let possible = request.alternatives.filter { alternative in
            finger != nil || !alternative.contains { $0 == .biometry || $0 == .newBiometry }
        }
        let wanted = possible.first { alternative in
            isJoining || alternative.contains(.biometry) == usesFinger
        }
        guard let chosen = wanted ?? possible.first else {
            throw PushError(.cancelled, "The user has nothing of that.")
        }
        return chosen.map { factor in
            switch factor {
            case .pin, .newPIN: .pin(Secret(pin.utf8))
            case .code: .code(Secret(code.utf8))
            case .biometry, .newBiometry: .biometry(finger)
            case .presence, .deviceCredential: .presence
            }
        }
    }
}
