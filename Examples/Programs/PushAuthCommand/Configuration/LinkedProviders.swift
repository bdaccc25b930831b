import PushCore
import VendorRegistration

/// The providers that a configuration makes of the vendors that the program links.
struct LinkedProviders: Sendable {
    let configuration: Configuration
    private let instances: [Instance]

    /// A provider that there could be.
    private struct Instance: Sendable {
        let name: String
        let vendor: LinkedVendor
        let section: ProviderSection?

        /// What is made; `nil` if the configuration turned it off, or lacks its section.
        var plan: ProviderPlan? {
            guard let section else { return vendor.standard }
            return section.isEnabled ? section.plan : nil
        }
    }

    init(_ vendors: [LinkedVendor], in configuration: Configuration) {
        self.configuration = configuration
        instances = vendors.flatMap { vendor in
            let own = Instance(
                name: vendor.name, vendor: vendor, section: configuration.providers[vendor.name])
            return [own]
                + configuration.providers.further(of: vendor)
                .map { Instance(name: $0.name, vendor: vendor, section: $0) }
        }
    }

    /// The providers that there could be, configured or not, in the order in which they are asked: by
    /// the program's list, and after each vendor's first the further ones.
    var names: [String] { instances.map(\.name) }

    /// The same names, each with its vendor's.
    var vendorNames: [(provider: ProviderID, vendor: String)] {
        instances.map { (ProviderID(rawValue: $0.name), $0.vendor.name) }
    }

    /// The vendors of which there is no provider for lack of a section.
    var lacking: [String] {
        instances.filter { $0.section == nil && $0.vendor.standard == nil }.map(\.name)
    }

    /// The servers that the configuration names.
    var servers: [Endpoint] {
        instances.flatMap { $0.section?.plan.servers ?? [] }.compactMap { try? Endpoint($0) }
    }

    func make(in environment: PushEnvironment) throws(Failure) -> [any PushProvider] {
        var providers: [any PushProvider] = []
        for instance in instances {
            guard let plan = instance.plan else { continue }
            do throws(PushError) {
                providers.append(
                    try plan.provider(
                        ProviderPlace(
                            ProviderID(rawValue: instance.name), in: environment,
                            allowsPlainHTTP: configuration.server.plainHTTP ?? false)))
            } catch {
                throw Failure(
                    .store, "[providers.\(instance.name)] can't be used: \(error.reason)")
            }
        }
        return providers
    }

    /// Why the configuration makes no such provider.
    func absence(of provider: ProviderID) -> String {
        let section = "[providers.\(provider.rawValue)]"
        return configuration.providers[provider.rawValue] == nil
            ? "not configured: there is no \(section)" : "turned off by \(section)"
    }

    /// How a provider's enrollments sign requests of the user's own; `nil` if they can't.
    func signer(of provider: ProviderID) -> RequestSigner? {
        instances.first { $0.name == provider.rawValue }?.vendor.signer
    }

    /// What ends a provider's enrollment at the vendor; `nil` if the vendor is told.
    func ending(at provider: ProviderID) -> String? {
        instances.first { $0.name == provider.rawValue }?.vendor.ending
    }

    /// What a provider's messages look like, for a person.
    func messages(of provider: ProviderID) -> String {
        instances.first { $0.name == provider.rawValue }?.vendor.messages ?? "another"
    }
}
