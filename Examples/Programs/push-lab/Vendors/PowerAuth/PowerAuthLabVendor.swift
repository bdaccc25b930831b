import LinkedVendors

extension LabVendor {
    static let powerAuth = LabVendor(
        linked: .powerAuth, console: ConsoleVendor.powerAuth,
        lab: { try await PowerAuthLab(log: $0) }, replay: ReplayVendor.powerAuth)
}
