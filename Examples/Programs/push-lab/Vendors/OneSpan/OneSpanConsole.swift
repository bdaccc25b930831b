import Crypto
import Foundation
import HTTPTypes
import PushAuthCommand
import PushCore
import PushOneSpanSimulator
import PushTesting

extension ConsoleVendor {
    static func oneSpan() -> ConsoleVendor {
        let clock = ConsoleClock()
        let configuration = OneSpanSimulator.Configuration(clock: clock)
        let simulator = OneSpanSimulator(configuration)
        let lifetime = configuration.sessionTimeout + .seconds(1)
        return ConsoleVendor(
            name: "onespan", simulator: simulator, kinds: [.confirm],
            configuration: { _ in
                let keys = await simulator.serverKeys.map { "\"\($0.base64EncodedString())\"" }
                return """
                    [providers.onespan]
                    domain = "\(simulator.domain)"
                    server-keys = [\(keys.joined(separator: ", "))]
                    relay = "\(await simulator.commandURL)"

                    """
            },
            devices: { user in
                await simulator.devices(of: user)
                    .map { "\($0.id.prefix(8))…, \(shortened($0.deviceToken))" }
            },
            reading: oneSpanRequest,
            identifiers: { user in
                await simulator.devices(of: user).map(\.id)
                    + [oneSpanHandle(of: user, in: simulator.domain)]
            },
            cancel: nil,
            expire: { await clock.statuses(of: $0, at: simulator, after: lifetime) })
    }

    /// What devices ask it, in words that all vendors share.
    ///
    /// The type and the sender stand in the clear at the head of a command.
    private static func oneSpanRequest(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        guard let command = (try? JSON(parsing: body))?["command"]?.string?.lowercased(),
            command.utf8.count >= 48
        else { return RequestReading(nil, of: request, body) }
        let digits = Array(command)
        let names = [
            "01": "registration, step 1", "03": "registration, step 2",
            "05": "registration, step 3", "07": "registration, step 4", "10": "device token",
            "21": "question", "23": "answer", "31": "question", "33": "answer", "40": "new PIN",
        ]
        return RequestReading(
            names[String(digits[10..<12])], of: request, body, and: [String(digits[16..<48])])
    }

    /// What a device names itself by before it has an identifier.
    private static func oneSpanHandle(of user: String, in domain: String) -> String {
        let text = Data("OOC1 reg".utf8) + [0] + Data(domain.utf8) + [0] + Data(user.utf8)
        return SHA256.hash(data: text).prefix(16).hexadecimal
    }
}
