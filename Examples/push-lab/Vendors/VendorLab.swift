/// One vendor's servers and device, and the flows between them.
protocol VendorLab: Sendable {
    /// The vendor, as `--vendor` names it.
    var name: String { get }

    /// The flows, in the order to run them: later ones need what earlier ones enrolled.
    var flows: [DemoFlow] { get }

    /// Stops the servers.
    func close() async
}

/// The vendors this executable links, and last the lab with two of them on one phone.
enum VendorLabs {
    struct Entry: Sendable {
        let name: String
        let open: @Sendable (ExchangeLog) async throws -> any VendorLab
    }

    static let all: [Entry] = [
        Entry(name: ForgeRockLab.vendor) { try await ForgeRockLab(log: $0) },
        Entry(name: PlusAuthLab.vendor) { try await PlusAuthLab(log: $0) },
        Entry(name: OneSpanLab.vendor) { try await OneSpanLab(log: $0) },
        Entry(name: XignInLab.vendor) { try await XignInLab(log: $0) },
        Entry(name: PowerAuthLab.vendor) { try await PowerAuthLab(log: $0) },
        Entry(name: PrivacyIDEALab.vendor) { try await PrivacyIDEALab(log: $0) },
        Entry(name: ServicesLab.vendor) { try await ServicesLab(log: $0) },
    ]

    static var names: [String] { all.map(\.name) }
}
