import PushCore
import PushPlatform

/// `[pins]`: the keys that servers must show, by host.
///
/// A host with a leading dot stands for itself and every host below.
struct Pins: Decodable {
    let rules: ServerPins

    init() {
        rules = ServerPins()
    }

    init(from decoder: any Decoder) throws {
        let hosts = try [String: [String]](from: decoder)
        rules = try ServerPins(hosts.sorted { $0.key < $1.key }.map(Self.rule))
    }

    private static func rule(for host: String, _ pins: [String]) throws -> ServerPins.Rule {
        let isDomain = host.hasPrefix(".")
        do {
            return try ServerPins.Rule(
                host: isDomain ? String(host.dropFirst()) : host, includesSubdomains: isDomain,
                pins: pins.map { try ServerPin($0) })
        } catch {
            throw Failure(.store, "[pins] \(host): \(Failure(error).text)")
        }
    }
}
