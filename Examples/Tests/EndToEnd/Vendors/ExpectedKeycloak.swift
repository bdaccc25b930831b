extension ExpectedVendor {
    static let keycloak = ExpectedVendor(
        name: "keycloak", exchanges: ["registration", "list of questions", "answer"],
        needsSection: true, listsWhatWaits: true, withdrawal: .byList, nist: "warning",
        cisa: "warning")
}
