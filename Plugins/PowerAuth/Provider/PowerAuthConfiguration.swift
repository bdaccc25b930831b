public import PushCore

/// What an app has chosen for PowerAuth.
public struct PowerAuthConfiguration: Sendable {
    /// The application, as the server knows it.
    public let application: PowerAuthApplication

    /// Where `/pa/**` is, with the path before it if there is one.
    public let enrollmentServer: Endpoint

    /// Where `/api/**` is, with the path before it if there is one.
    public let operationServer: Endpoint

    /// The version of the protocol. Activations don't depend on it.
    public var version = PowerAuthVersion.v3_3

    /// Whether enrolling asks the user for an activation OTP, beside the PIN. Set it only if the
    /// back office makes activations with an OTP: nobody knows how a server treats an OTP that it
    /// doesn't expect.
    public var asksActivationOTP = false

    /// Whether enrolling offers to set up biometry. It takes a `KeyGuard`, or a verifier that brings a
    /// secret with `Evidence.biometry`.
    public var offersBiometry = true

    /// How often a new PIN is stretched (PBKDF2 with HMAC-SHA1), from 1 to 100 million. The number
    /// never crosses the wire, and an enrollment keeps the one it was made with.
    ///
    /// The vendor's apps take 10,000. This is 21 times that. It is still less than is advised for
    /// passwords with this hash, where a thief of the stored hash can test guesses. Here the stored
    /// key tests no guess, and the server takes five. The rounds only slow down an attacker who has
    /// the record, its store's key and something else that was made with the PIN, such as a
    /// recorded signature. Against that attacker, no number of rounds that a user would wait for
    /// protects a PIN of four digits. More digits do: ``minimumPINLength``.
    public var pinIterations = 210_000

    /// The shortest PIN, in bytes of UTF-8.
    public var minimumPINLength = 4

    /// The languages that the server may write texts in, as `Accept-Language` takes them (RFC 9110
    /// section 12.5.4); `nil` leaves it to the server.
    public var acceptLanguage: String?

    /// Creates a configuration from the string that the vendor's console shows.
    ///
    /// - Parameters:
    ///   - sdkConfiguration: Application key, application secret and master public key in one string.
    ///   - enrollmentServer: Where `/pa/**` is.
    ///   - operationServer: Where `/api/**` is; `nil` if it is the same.
    /// - Throws: `PushError` with the code `invalidArgument` if the string can't be used.
    public init(
        sdkConfiguration: String, enrollmentServer: Endpoint, operationServer: Endpoint? = nil
    ) throws(PushError) {
        self.init(
            application: try PowerAuthApplication(sdkConfiguration: sdkConfiguration),
            enrollmentServer: enrollmentServer, operationServer: operationServer)
    }

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - application: The application, as the server knows it.
    ///   - enrollmentServer: Where `/pa/**` is.
    ///   - operationServer: Where `/api/**` is; `nil` if it is the same.
    public init(
        application: PowerAuthApplication, enrollmentServer: Endpoint,
        operationServer: Endpoint? = nil
    ) {
        self.application = application
        self.enrollmentServer = enrollmentServer
        self.operationServer = operationServer ?? enrollmentServer
    }
}

/// The version of the PowerAuth protocol that a client speaks.
///
/// Servers of the generations 1.9 and 1.10 take all three, servers 0.24 to 1.8 know the older
/// ones. Signatures are the same in all three, except for the version that the header names;
/// encryption and the digests of tokens differ.
@nonexhaustive public enum PowerAuthVersion: String, Sendable, CaseIterable {
    /// Servers from 0.24.
    case v3_1 = "3.1"
    /// Servers from 1.5: envelopes carry a time and bind what they are for.
    case v3_2 = "3.2"
    /// Servers from 1.9: envelopes are sealed for temporary keys.
    case v3_3 = "3.3"
}
