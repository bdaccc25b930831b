import PushCore
import PushTesting

/// The user of a device: there, and with the right PIN unless it is to be mistyped.
actor SoakUser: UserVerifier {
    /// Long enough that no record holds it by chance.
    static let pin = "246801357924"
    static let mistyped = "246801357942"

    private var mistyping: Set<Challenge.ID> = []

    /// Says how the PIN for a challenge is typed the next time.
    func mistype(_ isMistyped: Bool, at id: Challenge.ID) {
        if isMistyped { mistyping.insert(id) } else { mistyping.remove(id) }
    }

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        var pin = Self.pin
        if case .answer(let challenge, _) = request.purpose,
            mistyping.remove(challenge.id) != nil
        {
            pin = Self.mistyped
        }
        return try await ScriptedVerifier.willing(pin: pin).verify(request)
    }
}
