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
        let endpoint = try await Endpoint(phone.simulator.commandURL)
        let (response, body) = try await phone.device.environment.transport.send(
            endpoint.request(.post, headers: [.contentType: "application/json"]), body: held.body)
        var words = ["replied \(response.status.code)"]
        if let code = try JSON(parsing: body)["errorCode"]?.integer { words.append("\(code)") }
        let told = await phone.simulator.devices(of: "jane").first?.deviceToken
        words.append(
            told == newest ? "not applied: the newer one stays" : "the platform has another one")
        return words.joined(separator: ", ")
    }
}
