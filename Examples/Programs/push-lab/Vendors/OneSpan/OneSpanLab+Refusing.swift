import Foundation
import HTTPTypes
import PushCore
import PushOneSpanSimulator
import PushTesting

/// What is refused: commands that aren't genuine, came before, or come too late.
extension OneSpanLab {
    var refusing: [DemoFlow] {
        [
            DemoFlow("command tampered with", expecting: Self.refused) {
                try await refusal(of: .tampered(bit: 600))
            },
            DemoFlow("command sealed with another key", expecting: Self.refused) {
                try await refusal(of: .wrongKey)
            },
            DemoFlow("trigger replayed", expecting: "one challenge") {
                _ = try await phone.simulator.startLogin(
                    of: "jane", asking: .confirm, spoiledBy: .repeated)
                let receptions = try await phone.receive()
                return receptions.filter(\.isNew).count == 1 && receptions.count == 2
                    ? "one challenge" : "\(receptions.count) receptions"
            },
            DemoFlow(
                "answer tampered with on its way",
                expecting: "replied 409, -1301, still waiting; taken after resume, logged in",
                run: tamper),
            DemoFlow(
                "answer replayed to the server",
                expecting: "replied 409, -1302, login denied", run: replay),
            DemoFlow(
                "commands reordered: an older registration arrives last",
                expecting: "replied 200, not applied: the newer one stays"
            ) {
                try await reorder(behind: 1)
            },
            DemoFlow(
                "commands reordered: 64 newer ones were faster",
                expecting: "replied 409, -1302, not applied: the newer one stays"
            ) {
                try await reorder(behind: 64)
            },
            DemoFlow(
                "an earlier reply played back",
                expecting: "not believed; taken after resume, logged in",
                run: playBack),
        ]
    }

    // MARK: Steps

    private static let refused = "untrusted, nothing kept, still waiting"

    private func refusal(of bad: OneSpanSimulator.BadPush) async throws -> String {
        try await phone.refuse {
            try await phone.simulator.startLogin(of: "jane", asking: .confirm, spoiledBy: bad)
        }
    }

    private func playBack() async throws -> String {
        let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await phone.receiveChallenge()
        await phone.simulator.next(reply: .previous)
        let first = try await phone.authenticator.resolve(challenge, with: .approve)
        let found = try await phone.authenticator.resume()[challenge.id]
        let word = first == .delivered ? "believed" : "not believed"
        let status = try await phone.status(of: login)
        return "\(word); \(found?.words ?? "nothing sent") after resume, \(status)"
    }

    /// Somebody between device and server turns a bit of an answer.
    private func tamper() async throws -> String {
        let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await phone.receiveChallenge()
        await phone.simulator.next(relay: .fail(status: 503))
        _ = try await phone.authenticator.resolve(challenge, with: .approve)
        guard let held = await phone.simulator.exchanges.last?.body,
            var hex = try JSON(parsing: held)["command"]?.string
        else { return "nothing was held back" }
        hex.append(hex.removeLast() == "0" ? "1" : "0")
        let changed: JSON = ["command": .string(hex)]
        let reply = try await post(changed.data)
        let before = try await phone.status(of: login)
        let found = try await phone.authenticator.resume()[challenge.id]
        let status = try await phone.status(of: login)
        return "\(reply), \(before); \(found?.words ?? "nothing sent") after resume, \(status)"
    }

    /// Somebody who recorded an answer sends it again, once the server's copy of the reply is gone.
    private func replay() async throws -> String {
        let duration = await phone.simulator.configuration.replyCacheDuration
        await phone.simulator.configure { $0.replyCacheDuration = .zero }
        let login = try await phone.simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await phone.receiveChallenge()
        _ = try await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
        let recorded = await phone.simulator.exchanges.last?.body
        await phone.simulator.configure { $0.replyCacheDuration = duration }
        guard let recorded else { return "nothing was recorded" }
        return try await "\(post(recorded)), \(phone.status(of: login))"
    }

    /// A registration is held back on its way to the customer's server until newer ones are
    /// through, and sent there then. The platform takes commands in any order within 64, and
    /// applies a registration only if it is the newest.
    private func reorder(behind newer: Int) async throws -> String {
        await phone.simulator.next(relay: .fail(status: 404))
        let failures = try await phone.authenticator.deviceTokenChanged(.fcm("older-phone"))
        guard !failures.isEmpty, let held = await phone.simulator.exchanges.last else {
            return "nothing was held back"
        }
        for number in 1...newer {
            try await phone.authenticator.deviceTokenChanged(.fcm("newer-phone-\(number)"))
        }
        let newest = DeviceToken.fcm("newer-phone-\(newer)")
        let reply = try await post(held.body)
        let told = await phone.simulator.devices(of: "jane").first?.deviceToken
        return told == newest
            ? "\(reply), not applied: the newer one stays"
            : "\(reply), and the platform has \(told, default: "none")"
    }

    /// Sends a body to the customer's server over HTTPS, as the device would, and says what came
    /// back.
    private func post(_ body: Data) async throws -> String {
        let endpoint = try await Endpoint(phone.simulator.commandURL)
        let (response, reply) = try await phone.device.environment.transport.send(
            endpoint.request(.post, headers: [.contentType: "application/json"]), body: body)
        let code = try JSON(parsing: reply)["errorCode"]?.integer
        return "replied \(response.status.code)" + (code.map { ", \($0)" } ?? "")
    }
}
