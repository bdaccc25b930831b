import PushCore
import PushTesting

typealias ScriptedUser = TypingUser

extension TypingUser {
    static let password = Sample.pin

    init(_ passwords: String..., isWilling: Bool = true) {
        self.init(passwords.isEmpty ? [Self.password] : passwords, isWilling: isWilling)
    }

    /// A user who types a password wherever one will do.
    static func typing(_ pin: String = Sample.pin) -> TypingUser {
        TypingUser([pin], prefersBiometry: false)
    }

    /// What was asked of the user for answers, oldest first.
    var answerRequests: [VerificationRequest] {
        requests.filter { if case .answer = $0.purpose { true } else { false } }
    }
}
