import LinkedVendors
import PushCore
import PushPrivacyIDEA

extension LabVendor {
    static let privacyIDEA = LabVendor(
        linked: .privacyIDEA, console: ConsoleVendor.privacyIDEA,
        lab: { try await PrivacyIDEALab(log: $0) }, replay: ReplayVendor.privacyIDEA,
        // Not for soak itself: tests kill it while a real server waits for its answer.
        killed: { environment in
            var configuration = PrivacyIDEA.Configuration()
            configuration.allowsLocalHosts = true
            return PrivacyIDEA(configuration: configuration, in: environment)
        })
}
