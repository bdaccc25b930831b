import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// A vendor's simulator, and what the console needs beyond what all of them have.
struct ConsoleVendor: Sendable {
    /// As URLs have it, such as `acme`.
    let name: String

    let simulator: any VendorSimulator

    /// What a login may ask for.
    let kinds: [SimulatedLogin.Kind]

    /// The section of pushauth's configuration that leads to it.
    let configuration: @Sendable (_ origin: String) async -> String

    /// The devices of a user, a line each.
    let devices: @Sendable (_ user: String) async -> [String]

    /// What a request of a device is.
    let reading: @Sendable (HTTPRequest, Data) -> RequestReading

    /// The texts by which the requests of a user's devices can be told.
    let identifiers: @Sendable (_ user: String) async -> [String]

    /// The parameter of an invitation that the registration repeats, if there is one.
    var invitationMark: String?

    /// What of a push its answer repeats, beside the login's identifier.
    var pushMark: @Sendable (SimulatedPush) -> String? = { _ in nil }

    /// Takes a login back, where the vendor can.
    let cancel: (@Sendable (SimulatedLogin.ID) async throws -> Void)?

    /// Lets logins run out, and nothing else; where each of them stands then.
    let expire: @Sendable ([SimulatedLogin.ID]) async -> [SimulatedLogin.ID: SimulatedLogin.Status]

    /// Answers a device, where that isn't for the simulator alone.
    var respond: (@Sendable (HTTPRequest, Data) async -> (response: HTTPResponse, body: Data))?

    /// Learns of a push before it is sent.
    var noticed: @Sendable (SimulatedPush) async -> Void = { _ in }

    /// Does what a back office would do once a device was enrolled, such as to confirm it.
    var settle: @Sendable (_ user: String) async -> Void = { _ in }

    /// Logs a user in by a one-time code, where its login page takes one: whether the code counts.
    var logInByCode: (@Sendable (_ user: String, _ code: String) async throws -> Bool)?
}

extension ConsoleVendor {
    /// What its server says to a device.
    func reply(
        to request: HTTPRequest, _ body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        guard let respond else { return await simulator.respond(to: request, body: body) }
        return await respond(request, body)
    }
}

extension ConsoleVendor {
    /// What of an invitation its registration repeats.
    func mark(of invitation: Invitation) -> String? {
        guard let invitationMark, let text = invitation.scannedText else { return nil }
        return text.split(whereSeparator: { "?&".contains($0) })
            .first { $0.hasPrefix(invitationMark + "=") }?
            .dropFirst(invitationMark.utf8.count + 1).description.removingPercentEncoding
    }
}

extension DeviceToken {
    /// A device may register without one, which some vendors keep as an empty text.
    var isThere: Bool {
        switch self {
        case .fcm(""), .apns("", _): false
        case .fcm, .apns: true
        @unknown default: true
        }
    }
}

/// What a device token looks like where secrets mustn't be shown: enough to tell two apart.
func shortened(_ token: DeviceToken?) -> String {
    switch token {
    case .fcm(""), .apns("", _): "no push token"
    case .fcm(let text): "FCM \(text.prefix(6))…"
    case .apns(let hex, _): "APNs \(hex.prefix(6))…"
    case nil: "no push token"
    @unknown default: "another push token"
    }
}
