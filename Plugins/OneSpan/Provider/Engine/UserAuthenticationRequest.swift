import PushCore

/// Asks for the user, as `onUserAuthenticationRequired` does in OneSpan's SDK.
public struct UserAuthenticationRequest: Hashable, Sendable {
    /// Which password, or none.
    public enum Purpose: Hashable, Sendable {
        /// The user proves themselves.
        case verification
        /// The user chooses a password; `isEnrollment` in OneSpan's SDK.
        case enrollment
    }

    /// How the user proves themselves; never ``AuthenticationMethod/none``.
    public let method: AuthenticationMethod

    /// Which password it is.
    public let purpose: Purpose

    /// Creates a request.
    public init(_ method: AuthenticationMethod, _ purpose: Purpose) {
        self.method = method
        self.purpose = purpose
    }
}

extension [Evidence] {
    /// The password or PIN among them.
    var pin: Secret? {
        for case .pin(let secret) in self { return secret }
        return nil
    }

    var holdsBiometry: Bool {
        contains { if case .biometry = $0 { true } else { false } }
    }
}
