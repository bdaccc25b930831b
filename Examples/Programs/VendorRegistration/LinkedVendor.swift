public import PushCore

/// A vendor that a program links: what its section of the configuration may hold, and the factory of
/// its providers.
///
/// A program has one list of them, and no other place where a vendor's name stands.
public struct LinkedVendor: Sendable {
    /// Its name in the configuration, which is also its first provider's, such as `acme`.
    public let name: String

    /// What its messages look like, for a person, such as `acme beside device and mac`.
    public let messages: String

    /// What is made without a section; `nil` if the vendor needs one.
    public let standard: ProviderPlan?

    /// How its enrollments sign requests of the user's own; `nil` if it has no such signatures.
    public internal(set) var signer: RequestSigner?

    /// What ends an enrollment at the vendor, as a person does it there; `nil` if the vendor is told when
    /// it is removed here.
    public private(set) var ending: String?

    private let plan: @Sendable (any SectionReader) throws -> ProviderPlan

    /// Describes a vendor.
    ///
    /// - Parameters:
    ///   - name: Its name in the configuration.
    ///   - messages: What its messages look like, for a person.
    ///   - standard: The section that counts where none is written; `nil` if one must be.
    ///   - servers: The URLs of the servers that a section names.
    ///   - provider: Makes a provider by a section. It throws `PushError` if a value can't be used.
    public init<Section: Decodable & Sendable>(
        _ name: String, messages: String, standard: Section?,
        servers: @escaping @Sendable (Section) -> [String] = { _ in [] },
        provider:
            @escaping @Sendable (Section, ProviderPlace) throws(PushError) -> any PushProvider
    ) {
        let plan = { @Sendable (section: Section) in
            ProviderPlan(servers: servers(section)) { (place) throws(PushError) in
                try provider(section, place)
            }
        }
        self.name = name
        self.messages = messages
        self.standard = standard.map(plan)
        self.plan = { (reader) throws in plan(try reader.read(Section.self)) }
    }

    /// The same vendor, which has no call that ends an enrollment.
    ///
    /// - Parameter ending: What a person does there, in a sentence.
    /// - Returns: The vendor.
    public func ended(by ending: String) -> LinkedVendor {
        var vendor = self
        vendor.ending = ending
        return vendor
    }

    /// What a section of the configuration asks for.
    ///
    /// - Parameter reader: What reads the section.
    /// - Returns: The plan.
    /// - Throws: What the reader throws: a key is missing, unknown or of the wrong kind.
    public func plan(by reader: any SectionReader) throws -> ProviderPlan {
        try plan(reader)
    }
}

/// Reads one section of a configuration, whatever the file's format is.
public protocol SectionReader {
    /// Reads all of it; a key that the type doesn't have is an error.
    func read<Section: Decodable>(_ type: Section.Type) throws -> Section
}

/// What one section asks for.
public struct ProviderPlan: Sendable {
    /// The URLs of the servers that it names.
    public let servers: [String]

    /// Makes the provider. It throws `PushError` if a value of the section can't be used.
    public let provider: @Sendable (ProviderPlace) throws(PushError) -> any PushProvider

    init(
        servers: [String],
        provider: @escaping @Sendable (ProviderPlace) throws(PushError) -> any PushProvider
    ) {
        self.servers = servers
        self.provider = provider
    }
}

/// Where a provider is to stand.
public struct ProviderPlace: Sendable {
    /// Its name, which tells it from other providers of the same vendor.
    public let id: ProviderID

    /// The world, as it may use it.
    public let environment: PushEnvironment

    /// Whether servers on this machine may be reached without TLS.
    public let allowsPlainHTTP: Bool

    /// Creates a place.
    public init(_ id: ProviderID, in environment: PushEnvironment, allowsPlainHTTP: Bool = false) {
        self.id = id
        self.environment = environment
        self.allowsPlainHTTP = allowsPlainHTTP
    }
}
