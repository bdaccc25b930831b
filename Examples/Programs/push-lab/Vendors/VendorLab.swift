/// One vendor's servers and device, and the flows between them.
protocol VendorLab: Sendable {
    /// The vendor, as `--vendor` names it.
    var name: String { get }

    /// The flows, in the order to run them: later ones need what earlier ones enrolled.
    var flows: [DemoFlow] { get }

    /// Stops the servers.
    func close() async
}

/// The labs of all vendors, and last those that belong to no single one.
enum VendorLabs {
    struct Entry: Sendable {
        let name: String
        let open: @Sendable (ExchangeLog) async throws -> any VendorLab
    }

    static let all: [Entry] =
        LabVendors.all.map { Entry(name: $0.name, open: $0.lab) } + LabVendors.others

    static var names: [String] { all.map(\.name) }
}
