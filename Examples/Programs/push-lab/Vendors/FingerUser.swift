import PushCore

/// A user who types a PIN, or whose finger unlocks a secret.
actor FingerUser: UserVerifier {
    static let right = "24680"

    private let secret: Secret = SystemRandom().bytes(32)
    private var pin = right
    private var usesFinger = false

    func type(_ pin: String) {
        self.pin = pin
        usesFinger = false
    }

    func touch() { usesFinger = true }

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        let wanted = request.alternatives.first { factors in
            usesFinger ? factors.contains(.biometry) : !factors.contains(.biometry)
        }
        return (wanted ?? []).compactMap { factor in
            switch factor {
            case .pin, .newPIN: .pin(Secret(Array(pin.utf8)))
            case .biometry, .newBiometry: .biometry(secret)
            case .presence: .presence
            case .deviceCredential, .code: nil
            @unknown default: nil
            }
        }
    }
}
