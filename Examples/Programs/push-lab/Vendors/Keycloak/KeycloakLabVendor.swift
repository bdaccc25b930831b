import LinkedVendors

extension LabVendor {
    static let keycloak = LabVendor(
        linked: .keycloak, console: ConsoleVendor.keycloak,
        lab: { try await KeycloakLab(log: $0) }, replay: ReplayVendor.keycloak)
}
