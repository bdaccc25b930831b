import PushCore

extension ForgeRockSimulator {
    /// Where a login comes from, as AM tells the device.
    public struct LoginContext: Hashable, Sendable {
        /// The browser's address: AM has it from the header `x-real-ip`.
        public var remoteIP: String?

        /// The browser's `User-Agent`.
        public var userAgent: String?

        /// Latitude in degrees, north positive; sent only together with ``longitude``.
        public var latitude: Double?

        /// Longitude in degrees, east positive; sent only together with ``latitude``.
        public var longitude: Double?

        /// Creates a context.
        public init(
            remoteIP: String? = nil, userAgent: String? = nil, latitude: Double? = nil,
            longitude: Double? = nil
        ) {
            self.remoteIP = remoteIP
            self.userAgent = userAgent
            self.latitude = latitude
            self.longitude = longitude
        }
    }
}

extension ForgeRockSimulator.LoginContext {
    /// The members AM writes; what it doesn't know is left out.
    var json: JSON {
        var members: JSON.Object = [:]
        if let latitude = latitude.flatMap({ JSON.Number($0) }),
            let longitude = longitude.flatMap({ JSON.Number($0) })
        {
            members["location"] = [
                "latitude": .number(latitude), "longitude": .number(longitude),
            ]
        }
        members["remoteIp"] = remoteIP.map(JSON.string)
        members["userAgent"] = userAgent.map(JSON.string)
        return .object(members)
    }
}

extension JSON {
    /// The text that AM's JSON library makes of a value, spaces and all: an empty object reads
    /// `{  }`.
    var spacedText: String {
        switch self {
        case .object(let object):
            let members = object.members.map {
                "\(JSON.string($0.name).text): \($0.value.spacedText)"
            }
            return "{ \(members.joined(separator: ", ")) }"
        case .array(let elements):
            return "[ \(elements.map(\.spacedText).joined(separator: ", ")) ]"
        default: return text
        }
    }
}
