import LinkedVendors

extension LabVendor {
    static let plusAuth = LabVendor(
        linked: .plusAuth, console: ConsoleVendor.plusAuth,
        lab: { try await PlusAuthLab(log: $0) }, replay: ReplayVendor.plusAuth)
}
