import PushCore
import PushTesting

/// A user who types a PIN, the right one or another.
actor PINUser: UserVerifier {
    static let right = "24680"

    private var pin = right

    func type(_ pin: String) { self.pin = pin }

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        try await ScriptedVerifier.willing(pin: pin).verify(request)
    }
}
