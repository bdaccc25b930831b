import Foundation
import PushCore
import TOMLKit
import VendorRegistration

/// What `[providers.NAME]` says, of each that is written.
///
/// A section with a vendor's name is that vendor's. Any other is a further provider of the vendor that
/// its `vendor` names, and its own name is that provider's.
struct ProviderSections: Sendable {
    private var sections: [String: ProviderSection] = [:]

    init() {}

    /// - Throws: `Failure` that says which section is wrong, and why.
    init(reading table: TOMLTable, linking vendors: [LinkedVendor]) throws(Failure) {
        for name in table.keys.sorted() {
            guard let section = table[name]?.table else {
                throw Failure(.store, "'providers.\(name)' has a value of the wrong kind.")
            }
            sections[name] = try ProviderSection(name, reading: section, linking: vendors)
        }
    }

    subscript(name: String) -> ProviderSection? { sections[name] }

    /// Those of a vendor that have another name than it, in the order of their names.
    func further(of vendor: LinkedVendor) -> [ProviderSection] {
        sections.values
            .filter { $0.vendor.name == vendor.name && $0.name != vendor.name }
            .sorted { $0.name < $1.name }
    }
}

/// `[providers.NAME]`
struct ProviderSection: Sendable {
    let name: String
    let vendor: LinkedVendor
    let isEnabled: Bool
    let plan: ProviderPlan

    /// What every section may hold.
    private struct Common: Decodable {
        var vendor: String?
        var enabled: Bool?
    }

    fileprivate init(
        _ name: String, reading table: TOMLTable, linking vendors: [LinkedVendor]
    ) throws(Failure) {
        let (common, rest) = (TOMLTable(), TOMLTable())
        for key in table.keys {
            if ["vendor", "enabled"].contains(key) {
                common[key] = table[key]
            } else {
                rest[key] = table[key]
            }
        }
        self.name = name
        do {
            let choice = try StrictReader(table: common).read(Common.self)
            isEnabled = choice.enabled ?? true
            vendor = try Self.vendor(of: name, choice.vendor, vendors)
            plan = try vendor.plan(by: StrictReader(table: rest))
        } catch {
            throw Self.failure(name, describe(decoding: error))
        }
    }

    private static func vendor(
        of section: String, _ named: String?, _ vendors: [LinkedVendor]
    ) throws(Failure) -> LinkedVendor {
        let known = vendors.map(\.name).joined(separator: ", ")
        if let own = vendors.first(where: { $0.name == section }) {
            guard named ?? section == section else {
                throw Failure(.store, "a section with a vendor's name is that vendor's own.")
            }
            return own
        }
        guard let named else {
            throw Failure(
                .store,
                "there is no vendor '\(section)', only \(known). "
                    + "A further provider of one says which: vendor = \"…\".")
        }
        guard let vendor = vendors.first(where: { $0.name == named }) else {
            throw Failure(.store, "there is no vendor '\(named)', only \(known).")
        }
        // It becomes a part of the names in the store.
        let isPlain = section.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard isPlain, (1...64).contains(section.utf8.count) else {
            throw Failure(
                .store,
                "a provider's name has 1 to 64 small letters, digits, hyphens and underscores.")
        }
        return vendor
    }

    fileprivate static func failure(_ name: String, _ reason: String) -> Failure {
        Failure(.store, "[providers.\(name)]: \(reason)")
    }
}

/// Reads a table in which no key may be left over.
private struct StrictReader: SectionReader {
    let table: TOMLTable

    func read<Section: Decodable>(_ type: Section.Type) throws -> Section {
        try TOMLDecoder(strictDecoding: true).decode(type, from: table)
    }
}
