import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

extension ReplayVendor {
    static func powerAuth() -> ReplayVendor {
        let simulator = PowerAuthSimulator()
        return ReplayVendor(
            simulator: simulator,
            plugin: { environment in
                PowerAuth(
                    configuration: try await PowerAuthLab.configuration(
                        simulator.sdkConfiguration, at: ReplayVendor.origin), in: environment)
            },
            start: { user, kind, fault in
                guard fault == nil else {
                    throw ReplayFailure("a push of this vendor's proves nothing, so none is wrong")
                }
                return try await simulator.startLogin(of: user, asking: kind)
            },
            settle: { user in
                for record in await simulator.activations(of: user)
                where record.state == .pendingCommit {
                    try await simulator.commit(record.id)
                }
            },
            expire: { try await simulator.expireOperation($0) })
    }
}
