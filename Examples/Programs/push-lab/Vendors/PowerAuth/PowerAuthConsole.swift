import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting

extension ConsoleVendor {
    static func powerAuth() -> ConsoleVendor {
        let clock = ConsoleClock()
        let configuration = PowerAuthSimulator.Configuration(clock: clock)
        let simulator = PowerAuthSimulator(configuration)
        return ConsoleVendor(
            name: "powerauth", simulator: simulator, kinds: [.confirm],
            configuration: { origin in
                """
                [providers.powerauth]
                sdk-configuration = "\(await simulator.sdkConfiguration)"
                server = "\(origin)"

                """
            },
            devices: { user in
                await simulator.activations(of: user)
                    .filter { [.active, .blocked, .pendingCommit].contains($0.state) }
                    .map {
                        "\($0.deviceName ?? "a device"), \($0.state), "
                            + "fingerprint \($0.fingerprint ?? "unknown"), "
                            + shortened($0.deviceToken)
                    }
            },
            reading: powerAuthRequest,
            identifiers: { user in
                await simulator.activations(of: user).filter { $0.fingerprint != nil }
                    .flatMap { [$0.id] + $0.tokens }
            },
            cancel: { try await simulator.cancelOperation($0) },
            expire: { logins in
                for login in logins { try? await simulator.expireOperation(login) }
                return await clock.statuses(of: logins, at: simulator)
            },
            // The back office of a lab compares nothing.
            settle: { user in
                for record in await simulator.activations(of: user)
                where record.state == .pendingCommit {
                    try? await simulator.commit(record.id)
                }
            })
    }

    /// What devices ask it, in words that all vendors share.
    private static func powerAuthRequest(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let path = (request.path ?? "").prefix { $0 != "?" }
        let call = PowerAuthSimulator.Call(rawValue: String(path))
        return RequestReading(call?.words, of: request, body)
    }
}

extension PowerAuthSimulator.Call {
    fileprivate var words: String {
        switch self {
        case .keystore: "temporary key"
        case .activation: "registration"
        case .status: "refresh"
        case .removal: "removal"
        case .tokenCreation: "access token"
        case .tokenRemoval: "end of an access token"
        case .validation: "check of a signature"
        case .vault: "unlocking"
        case .provider: "login page"
        case .activationDetail: "device's name"
        case .renaming: "device's new name"
        case .userInfo: "user info"
        case .time: "server time"
        case .registration, .olderRegistration: "device token"
        case .list: "list of questions"
        case .detail: "question"
        case .claim: "claim of a question"
        case .history: "history"
        case .authorize: "answer"
        case .cancel: "denial"
        case .inboxCount, .inboxList, .inboxDetail, .inboxRead, .inboxReadAll: "inbox"
        }
    }
}
