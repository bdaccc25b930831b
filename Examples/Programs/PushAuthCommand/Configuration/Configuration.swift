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
    var store = Store()
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

    /// `[store]`
    struct Store: Decodable {
        /// Where the store is, if `--store` doesn't say so: a directory or a URL.
        var url: String?
        /// Who `pushauth` is to the store's servers.
        var user: String?
        /// The files are relative to the configuration's.
        var passwordFile: String?
        /// Who may vouch for the store's servers (PEM).
        var authorities: String?
        /// What proves to them that this machine may connect (PEM), and its key.
        var certificate: String?
        var key: String?
        /// The key that a store that machines share is being changed to, beside the one that it has.
        var nextKeyFile: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case url, user, authorities, certificate, key
            case passwordFile = "password-file"
            case nextKeyFile = "next-key-file"
        }

        /// - Throws: `Failure` if others could have written what says whom to believe, or may read the
        ///   key.
        func checkFiles() throws(Failure) {
            for path in [authorities, certificate].compactMap(\.self) {
                try TrustedFile(path: path, kind: "certificate file").check()
            }
            guard (certificate == nil) == (key == nil) else {
                throw Failure(.store, "In [store], certificate and key go together.")
            }
            if let key, try PrivateFile(path: key, isOwn: false).read() == nil {
                throw Failure(
                    .store, "There is no file \(key).", advice: "`key` in [store] names it.")
            }
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
        case device, server, pins, approvals, store
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        device = try values.decodeIfPresent(Device.self, forKey: .device) ?? Device()
        server = try values.decodeIfPresent(Server.self, forKey: .server) ?? Server()
        pins = try values.decodeIfPresent(Pins.self, forKey: .pins) ?? Pins()
        approvals = try values.decodeIfPresent(Approvals.self, forKey: .approvals) ?? Approvals()
        store = try values.decodeIfPresent(Store.self, forKey: .store) ?? Store()
    }

    /// Reads a text. Of whom a section is, the program's list says: it is read apart.
    init(parsing text: String, linking vendors: [LinkedVendor]) throws {
        try TOMLDepth.check(text)
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

    /// Where a file says that the store is; `nil` if it doesn't, or can't be read: that is said when it
    /// is read as a whole.
    static func storePlace(in path: String) -> String? {
        guard let text = try? TrustedFile(path: path, kind: "configuration").read(),
            (try? TOMLDepth.check(text)) != nil
        else { return nil }
        return (try? TOMLTable(string: text))?["store"]?.table?["url"]?.string
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
                advice:
                    "Its sections are server, device, store, approvals, pins and providers.NAME.")
        }
    }

    private mutating func resolvePaths(besides file: String) {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        func resolve(_ path: inout String?) {
            guard let relative = path, !relative.hasPrefix("/") else { return }
            path = folder.appendingPathComponent(relative).path
        }
        resolve(&server.authorities)
        resolve(&store.passwordFile)
        resolve(&store.nextKeyFile)
        resolve(&store.authorities)
        resolve(&store.certificate)
        resolve(&store.key)
        if store.url?.contains("://") == false { resolve(&store.url) }
    }
}
