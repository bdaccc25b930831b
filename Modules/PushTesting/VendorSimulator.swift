public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A vendor's server: its HTTP interface, its pushes, and the face it shows a relying party.
///
/// One value runs in process behind a ``SimulatedTransport``, or behind a real HTTP server. It
/// checks everything that the real server checks.
public protocol VendorSimulator: Sendable {
    /// The vendor's name, for people.
    var name: String { get }

    /// Says where the simulator is reached, such as `https://am.example.com:8443`; invitations
    /// made from now on lead there.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if it isn't an origin.
    func move(to origin: String) async throws(PushError)

    /// Answers an HTTP request.
    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data)

    /// The pushes sent since the last call, oldest first.
    func takePushes() async -> [SimulatedPush]

    /// Invites a user's device to enroll, as a login page would by a QR code.
    ///
    /// - Throws: `PushError` with the code `notFound` if the vendor wouldn't invite the user,
    ///   `unsupported` or `invalidArgument` if the simulator isn't configured for it.
    func invitation(for user: String) async throws(PushError) -> Invitation

    /// Starts a login of an enrolled user, and pushes the challenge to the user's devices.
    ///
    /// - Throws: `PushError` with the code `notFound` if no device of the user is enrolled,
    ///   `unsupported` if the vendor has no login of this kind, `invalidArgument` if the simulator
    ///   isn't configured for it.
    func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind
    ) async throws(PushError) -> SimulatedLogin

    /// Where a login stands, as its page would find out.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    func status(of login: SimulatedLogin.ID) async throws(PushError) -> SimulatedLogin.Status
}

/// A login that waits for its push to be answered.
public struct SimulatedLogin: Hashable, Sendable, Identifiable {
    /// What a login asks of the user.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Approve or deny.
        case confirm
        /// Choose or enter what the login page shows.
        case number
        /// Approve after a biometric check, or deny.
        case biometry
    }

    /// Where a login stands.
    @nonexhaustive
    public enum Status: Hashable, Sendable {
        /// Nobody has answered yet.
        case waiting
        /// The user is logged in.
        case approved
        /// The user said no.
        case denied
        /// The answer was wrong, such as a wrong number.
        case failed
        /// Nobody answered in time.
        case expired
    }

    /// The simulator's identifier of it.
    public let id: String

    /// What the login page shows the user, such as a number to choose.
    public let shown: String?

    /// Creates a login.
    public init(id: String, shown: String? = nil) {
        self.id = id
        self.shown = shown
    }
}

/// A push on its way to a device.
public struct SimulatedPush: Sendable {
    /// Where it goes.
    public let deviceToken: DeviceToken

    /// What the device gets, as JSON: an APNs payload, or the data of a Firebase message.
    public let payload: Data

    /// Creates a push.
    public init(to deviceToken: DeviceToken, payload: Data) {
        self.deviceToken = deviceToken
        self.payload = payload
    }

    /// The push as an app hands it to the SDK.
    ///
    /// - Throws: `PushError` with the code `malformed` if the payload isn't a push's JSON.
    public func message() throws(PushError) -> PushMessage {
        try PushMessage(json: payload)
    }
}
