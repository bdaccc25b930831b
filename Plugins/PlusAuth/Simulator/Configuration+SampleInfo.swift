public import PushCore

extension PlusAuthSimulator.Configuration {
    /// The members of the documented sample, for a browser in Istanbul.
    public static var sampleInfo: JSON {
        let agent: JSON = [
            "ua": "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0",
            "browser": ["name": "Firefox", "version": "120.0", "major": "120"],
            "cpu": ["architecture": "amd64"],
            "device": ["type": nil, "vendor": nil, "model": nil],
            "engine": ["name": "Gecko", "version": "120.0"],
            "os": ["name": "Linux", "version": "x86_64"],
        ]
        let location: JSON = [
            "city": "Istanbul", "country": "TUR", "postal_code": "34000",
            "coordinates": [
                "accuracy_radius": 1, "latitude": coordinate(41.091384),
                "longitude": coordinate(29.062315), "time_zone": "Europe/Istanbul",
            ],
        ]
        return [
            "application": "", "ip": "203.0.113.7", "user_identifier": "", "agent": agent,
            "location": location,
        ]
    }

    private static func coordinate(_ degrees: Double) -> JSON {
        JSON.Number(degrees).map(JSON.number) ?? nil
    }
}
