import PushCore

@testable import PushTesting

/// A user with a PIN, a code and a finger, who gives up when told to.
actor Keypad: UserVerifier {
    private(set) var requests: [VerificationRequest] = []
    private var pin = "1234"
    private var code = "000000"
    private var fingerprint: Secret?
    private var hasGivenUp = false

    func type(pin: String) { self.pin = pin }
    func type(code: String) { self.code = code }
    func giveUp() { hasGivenUp = true }

    /// Lays on a finger, which unlocks a secret. Without, PINs alone are typed.
    func lay(finger: Secret?) { fingerprint = finger }

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        requests.append(request)
        guard !hasGivenUp else { throw PushError(.cancelled, "The user gave up.") }
        let possible = request.alternatives.first { alternative in
            fingerprint != nil
                || !alternative.contains(.biometry) && !alternative.contains(.newBiometry)
        }
        return (possible ?? []).compactMap { factor in
            switch factor {
            case .pin, .newPIN: .pin(Secret(pin.utf8))
            case .code: .code(Secret(code.utf8))
            case .biometry, .newBiometry: .biometry(fingerprint)
            default: nil
            }
        }
    }
}

/// Repeatable bytes, and a memory of what was drawn.
final class RememberedRandom: RandomSource {
    private let source = SeededRandom(seed: 11)
    private let drawn = Locked<[[UInt8]]>([])

    /// Everything that was drawn at once, oldest first.
    var draws: [[UInt8]] { drawn.withLock { $0 } }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        source.fill(buffer)
        drawn.withLock { $0.append(Array(buffer)) }
    }
}
