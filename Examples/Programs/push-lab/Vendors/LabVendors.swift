import LinkedVendors

/// The vendors that this program has, in the order of the providers' list.
enum LabVendors {
    static let all: [LabVendor] = [
        .forgeRock, .plusAuth, .xignIn, .oneSpan, .powerAuth, .privacyIDEA, .keycloak,
    ]

    /// A vendor whose answers are kept whole: a restart sends them again.
    static let keepingWhole = LabVendor.forgeRock

    /// A vendor whose yes takes a PIN, and is kept without the PIN's proof. A restart asks with that
    /// part what became of the answer; else the user makes it again.
    static let keepingPart = LabVendor.xignIn

    /// The labs that belong to no single vendor: two of them on one phone.
    static let others: [VendorLabs.Entry] = [
        VendorLabs.Entry(name: ServicesLab.vendor) { try await ServicesLab(log: $0) }
    ]
}
