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
    func move(to origin: String) async throws(PushError)

    /// Answers an HTTP request.
    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data)

    /// The pushes sent since the last call, oldest first.
    func takePushes() async -> [SimulatedPush]

    /// Invites a user's device to enroll, as a login page would by a QR code.
    func invitation(for user: String) async throws(PushError) -> Invitation

    /// Starts a login of an enrolled user, and pushes the challenge to the user's devices.
    func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind
    ) async throws(PushError) -> SimulatedLogin

    /// Where a login stands, as its page would find out.
    func status(of login: SimulatedLogin.ID) async throws(PushError) -> SimulatedLogin.Status
}
