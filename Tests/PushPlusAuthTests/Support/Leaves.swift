import PushCore
import PushPlusAuth

extension PushContext {
    /// The leaves of `info` that have a value, by their documented paths. The time zone may stand at
    /// two places; it's listed at the one that the documented sample has.
    var leaves: [String: String] {
        let agent = info?.agent
        let location = info?.location
        let coordinates = location?.coordinates
        let texts: [String: String?] = [
            "application": info?.application, "ip": info?.ip,
            "user_identifier": info?.userIdentifier, "agent.ua": agent?.ua,
            "agent.browser.name": agent?.browser?.name,
            "agent.browser.version": agent?.browser?.version,
            "agent.browser.major": agent?.browser?.major,
            "agent.cpu.architecture": agent?.cpu?.architecture,
            "agent.device.type": agent?.device?.type,
            "agent.device.vendor": agent?.device?.vendor,
            "agent.device.model": agent?.device?.model,
            "agent.engine.name": agent?.engine?.name,
            "agent.engine.version": agent?.engine?.version,
            "agent.os.name": agent?.os?.name, "agent.os.version": agent?.os?.version,
            "location.city": location?.city, "location.country": location?.country,
            "location.postal_code": location?.postalCode,
            "location.coordinates.time_zone": coordinates?.timeZone,
        ]
        let numbers: [String: Double?] = [
            "location.coordinates.accuracy_radius": coordinates?.accuracyRadius,
            "location.coordinates.latitude": coordinates?.latitude,
            "location.coordinates.longitude": coordinates?.longitude,
        ]
        return texts.compactMapValues(\.self).merging(
            numbers.compactMapValues { $0.map { "\($0)" } }
        ) { first, _ in first }
    }

    /// The leaves that the worked examples' payload of `rs256_code` has.
    static let exampleLeaves: [String: String] = [
        "application": "Acme Bank", "ip": "203.0.113.7", "user_identifier": "ada@example.com",
        "agent.ua":
            "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0",
        "agent.browser.name": "Firefox", "agent.browser.version": "120.0",
        "agent.browser.major": "120", "agent.cpu.architecture": "amd64",
        "agent.engine.name": "Gecko", "agent.engine.version": "120.0", "agent.os.name": "Linux",
        "agent.os.version": "x86_64", "location.city": "Istanbul", "location.country": "TUR",
        "location.postal_code": "34000", "location.coordinates.time_zone": "Europe/Istanbul",
        "location.coordinates.accuracy_radius": "1.0",
        "location.coordinates.latitude": "41.091384",
        "location.coordinates.longitude": "29.062315",
    ]
}
