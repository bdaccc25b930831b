import Foundation
import PushCore
import TOMLKit
import VendorRegistration

/// What the configuration file says; all of it is optional.
struct Configuration: Decodable {
    var device = Device()
    var server = Server()
    var pins = Pins()
    var approvals = Approvals()
    /// `[providers.NAME]`
    var providers = ProviderSections()

    /// `[device]`
    struct Device: Decodable {
        /// How servers list this device.
        var name: String?
    }

    /// `[server]`
    struct Server: Decodable {
        /// Certificates (PEM) to trust instead of the system's, relative to the file.
        var authorities: String?
        /// Whether servers on this machine may be reached without TLS.
        var plainHTTP: Bool?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case authorities
            case plainHTTP = "plain-http"
        }
    }

    /// `[approvals]`
    struct Approvals: Decodable {
        /// The guideline that approvals must keep to.
        var profile: ApprovalProfile?

        enum CodingKeys: String, CodingKey {
            case profile
        }

        init() {}

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            profile = try values.decodeIfPresent(String.self, forKey: .profile)
                .map { (name) throws(PushError) in try ApprovalProfile(named: name) }
        }
    }

    init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case device, server, pins, approvals
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        device = try values.decodeIfPresent(Device.self, forKey: .device) ?? Device()
        server = try values.decodeIfPresent(Server.self, forKey: .server) ?? Server()
        pins = try values.decodeIfPresent(Pins.self, forKey: .pins) ?? Pins()
        approvals = try values.decodeIfPresent(Approvals.self, forKey: .approvals) ?? Approvals()
    }

    /// Reads a text. Of whom a section is, the program's list says: it is read apart.
    init(parsing text: String, linking vendors: [LinkedVendor]) throws {
        let document = try TOMLTable(string: text)
        let rest = TOMLTable()
        for key in document.keys where key != "providers" { rest[key] = document[key] }
        self = try TOMLDecoder(strictDecoding: true).decode(Configuration.self, from: rest)
        guard let sections = document["providers"] else { return }
        guard let table = sections.table else {
            throw Failure(.store, "'providers' has a value of the wrong kind.")
        }
        providers = try ProviderSections(reading: table, linking: vendors)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - isRequired: Whether there must be one: the user named it.
    ///   - vendors: Whose sections it may have.
    /// - Returns: The configuration.
    /// - Throws: `Failure` that says what is wrong; or that others may write it.
    static func read(
        _ path: String, isRequired: Bool, linking vendors: [LinkedVendor]
    ) throws(Failure) -> Configuration {
        guard isRequired || FileManager.default.fileExists(atPath: path) else {
            return Configuration()
        }
        let text = try TrustedFile(path: path, kind: "configuration").read()
        do {
            var configuration = try Configuration(parsing: text, linking: vendors)
            configuration.resolvePaths(besides: path)
            return configuration
        } catch {
            throw Failure(
                .store, "The configuration \(path) can't be used: \(describe(decoding: error))",
                advice: "docs/guides/pushauth.md lists what it may hold.")
        }
    }

    private mutating func resolvePaths(besides file: String) {
        guard let authorities = server.authorities, !authorities.hasPrefix("/") else { return }
        server.authorities =
            URL(fileURLWithPath: file).deletingLastPathComponent()
            .appendingPathComponent(authorities).path
    }
}
