public import PushCore

/// A user who answers every request the way a test says, and remembers what was asked.
public actor ScriptedVerifier: UserVerifier {
    /// How a scripted user answers.
    public typealias Script =
        @Sendable (VerificationRequest) async throws(PushError) -> [Evidence]

    private let script: Script

    /// What was asked, oldest first.
    public private(set) var requests: [VerificationRequest] = []

    /// Creates a user.
    public init(_ script: @escaping Script) {
        self.script = script
    }

    /// A user who is there, and brings what the first alternative asks for.
    ///
    /// - Parameter pin: What is typed where a PIN or a code is asked for.
    public static func willing(pin: String = "1234") -> ScriptedVerifier {
        ScriptedVerifier { request in
            (request.alternatives.first ?? []).compactMap { factor in
                switch factor {
                case .presence: .presence
                case .pin, .newPIN: .pin(Secret(Array(pin.utf8)))
                case .biometry, .newBiometry: .biometry(nil)
                case .deviceCredential: .deviceCredential
                case .code: .code(Secret(Array(pin.utf8)))
                @unknown default: nil
                }
            }
        }
    }

    /// A user who always gives up.
    public static func absent() -> ScriptedVerifier {
        ScriptedVerifier { _ throws(PushError) in
            throw PushError(.cancelled, "The user gave up.")
        }
    }

    /// Answers a request.
    public func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        requests.append(request)
        return try await script(request)
    }
}
