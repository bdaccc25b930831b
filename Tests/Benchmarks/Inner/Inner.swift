public import PushCore
import PushJOSE

/// The steps of a receive that another package can't reach: `package` code, one function per step.
///
/// The root manifest builds it, as `PushBenchmarks`, only if `PUSH_AUTH_INNER` is set.
public enum Inner {
    /// A JWT that was read, and the key that verifies it.
    public struct Token: Sendable {
        private let jwt: UnverifiedJWT
        private let secret: Secret

        /// Reads a JWT: its Base64 and its JSON.
        public init(_ text: String, secret: Secret) throws {
            jwt = try UnverifiedJWT(parsing: text, encoding: .anyAlphabet)
            self.secret = secret
        }

        /// The claims, once the authentication code was checked.
        public func verified() throws -> JSON.Object {
            try jwt.verified(by: HS256Key(secret)).claims
        }
    }
}
