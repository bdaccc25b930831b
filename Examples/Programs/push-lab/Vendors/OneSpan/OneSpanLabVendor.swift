import LinkedVendors

extension LabVendor {
    static let oneSpan = LabVendor(
        linked: .oneSpan, console: ConsoleVendor.oneSpan,
        lab: { try await OneSpanLab(log: $0) }, replay: ReplayVendor.oneSpan)
}
