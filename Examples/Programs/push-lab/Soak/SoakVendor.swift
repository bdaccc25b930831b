import PushCore

/// A vendor whose device is killed.
struct SoakVendor: Hashable, Sendable {
    /// The name of its provider.
    let name: String

    /// Its answers are kept whole.
    static let whole = SoakVendor(name: LabVendors.keepingWhole.name)

    /// Its answers are kept without the PIN's proof.
    static let part = SoakVendor(name: LabVendors.keepingPart.name)

    /// What every process that opens a store links.
    static func registry(in environment: PushEnvironment) throws(PushError) -> PluginRegistry {
        try PluginRegistry(LabVendors.all.compactMap { $0.killed?(environment) })
    }
}
