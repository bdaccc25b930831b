import PushCore

/// A user with a PIN in mind, who proves themselves the way they like best.
actor Keypad: UserVerifier {
    private(set) var requests: [VerificationRequest] = []
    private var pin: String
    private var prefersBiometry: Bool
    private var refusesOnce = false
    private var bringsNothing = false

    init(pin: String = WorkedExample.pin, prefersBiometry: Bool = false) {
        (self.pin, self.prefersBiometry) = (pin, prefersBiometry)
    }

    /// What the user types from now on.
    func type(_ pin: String) { self.pin = pin }

    func prefer(biometry: Bool) { prefersBiometry = biometry }

    /// The user gives up the next time.
    func giveUp() { refusesOnce = true }

    /// The user proves nothing from now on, and says that all is well.
    func bringNothing() { bringsNothing = true }

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        requests.append(request)
        if refusesOnce {
            refusesOnce = false
            throw PushError(.cancelled, "The user gave up.")
        }
        if bringsNothing { return [] }
        let liked = request.alternatives.first { list in
            list.contains { $0 == .biometry || $0 == .newBiometry } == prefersBiometry
        }
        return (liked ?? request.alternatives.first ?? []).compactMap { factor in
            switch factor {
            case .presence: .presence
            case .pin, .newPIN, .code: .pin(Secret(Array(pin.utf8)))
            case .biometry, .newBiometry: .biometry(nil)
            case .deviceCredential: .deviceCredential
            @unknown default: nil
            }
        }
    }
}
