import Foundation
import PushCore
import TOMLKit

/// What the configuration file says; all of it is optional.
struct Configuration: Decodable {
    var device = Device()
    var server = Server()
    var pins = Pins()
    var providers = Providers()

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

    /// `[providers.NAME]`
    struct Providers: Decodable {
        var forgerock: HostsSection?
        var plusauth: HostsSection?
        var xignin: HostsSection?
        var onespan: OneSpanSection?
        var powerauth: PowerAuthSection?
        var privacyidea: PrivacyIDEASection?
    }

    /// Of a vendor whose QR codes name its servers.
    struct HostsSection: Decodable {
        var enabled: Bool?
        /// Whether QR codes may name servers on this machine.
        var localHosts: Bool?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case enabled
            case localHosts = "local-hosts"
        }
    }

    struct OneSpanSection: Decodable {
        var enabled: Bool?
        var domain: String
        /// The platform's public keys, each 65 bytes in base64.
        var serverKeys: [String]
        /// The customer's server that passes commands on.
        var relay: String

        enum CodingKeys: String, CodingKey, CaseIterable {
            case enabled, domain, relay
            case serverKeys = "server-keys"
        }
    }

    struct PowerAuthSection: Decodable {
        var enabled: Bool?
        /// The mobile SDK configuration that the application's server shows.
        var sdkConfiguration: String
        var server: String

        enum CodingKeys: String, CodingKey, CaseIterable {
            case enabled, server
            case sdkConfiguration = "sdk-configuration"
        }
    }

    struct PrivacyIDEASection: Decodable {
        var enabled: Bool?
        /// Whether QR codes may name servers on this machine.
        var localHosts: Bool?
        /// The size of the key pairs that enrolling makes.
        var keyBits: Int?
        /// Whether the servers push by a gateway that takes Apple's device tokens.
        var apnsTokens: Bool?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case enabled
            case localHosts = "local-hosts"
            case keyBits = "key-bits"
            case apnsTokens = "apns-tokens"
        }
    }

    init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case device, server, pins, providers
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        device = try values.decodeIfPresent(Device.self, forKey: .device) ?? Device()
        server = try values.decodeIfPresent(Server.self, forKey: .server) ?? Server()
        pins = try values.decodeIfPresent(Pins.self, forKey: .pins) ?? Pins()
        providers = try values.decodeIfPresent(Providers.self, forKey: .providers) ?? Providers()
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - isRequired: Whether there must be one: the user named it.
    /// - Returns: The configuration.
    /// - Throws: `Failure` that says what is wrong; or that others may write it.
    static func read(_ path: String, isRequired: Bool) throws(Failure) -> Configuration {
        guard isRequired || FileManager.default.fileExists(atPath: path) else {
            return Configuration()
        }
        let text = try TrustedFile(path: path, kind: "configuration").read()
        do {
            var configuration = try TOMLDecoder(strictDecoding: true)
                .decode(Configuration.self, from: text)
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
