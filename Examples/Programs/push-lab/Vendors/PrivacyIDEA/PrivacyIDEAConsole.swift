import Foundation
import HTTPTypes
import PushCore
import PushPrivacyIDEASimulator
import PushTesting

extension ConsoleVendor {
    static func privacyIDEA() -> ConsoleVendor {
        let clock = ConsoleClock()
        var configuration = PrivacyIDEASimulator.Configuration(
            issuer: "Example Bank", clock: clock)
        configuration.serverKeys = .pool(of: 4)
        let simulator = PrivacyIDEASimulator(configuration)
        let lifetime = configuration.validity + .seconds(1)
        return ConsoleVendor(
            name: "privacyidea", simulator: simulator, kinds: [.confirm, .number],
            configuration: { _ in "[providers.privacyidea]\nlocal-hosts = true\n" },
            devices: { user in
                await simulator.tokens(of: user).filter(\.isEnrolled)
                    .map { "\($0.serial), \(shortened($0.deviceToken))" }
            },
            reading: privacyIDEARequest,
            identifiers: { await simulator.tokens(of: $0).map(\.serial) },
            invitationMark: "enrollment_credential",
            pushMark: { (try? JSON(parsing: $0.payload))?["nonce"]?.string },
            cancel: { try await simulator.cancelLogin($0) },
            expire: { await clock.statuses(of: $0, at: simulator, after: lifetime) })
    }

    /// What devices ask it, in words that all vendors share.
    ///
    /// Whose request a form is, its `serial` says.
    private static func privacyIDEARequest(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let form = String(decoding: body, as: UTF8.self).split(separator: "&")
        let has = { (name: String) in form.contains { $0.hasPrefix(name + "=") } }
        let name =
            if request.method != .post {
                "list of questions"
            } else if has("enrollment_credential") {
                "registration"
            } else if has("new_fb_token") {
                "device token"
            } else {
                has("decline") ? "denial" : "answer"
            }
        let values = form.compactMap {
            $0.split(separator: "=").last?.description.removingPercentEncoding
        }
        return RequestReading(name, of: request, body, and: values)
    }
}
