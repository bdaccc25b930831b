import PushCore

/// Reads claims whose signature held. What is for display only is read leniently, leaf by leaf: a
/// leaf that is missing, null, empty or of the wrong type is absent, and nothing else is.
extension PushContext {
    init(_ claims: ContextClaims) throws(PushError) {
        exp = claims.expiry
        iat = claims.issued
        contextToken = Secret(claims.token.utf8)
        resolveURL = claims.resolveURL?.string
        type = try claims.kind
        rawType = claims.type
        if case .code(let values) = type { self.values = values } else { values = [] }
        settings = claims.all["settings"]?.object.map { _ in Settings(bindSIM: claims.bindSIM) }
        info = claims.all["info"]?.object.map { Info(.object($0)) }
    }

    /// What the uniform API has no place for.
    var fields: [Challenge.Field] {
        let location = info?.location
        let shown: [(String, String?)] = [
            ("User", info?.userIdentifier), ("City", location?.city),
            ("Postal code", location?.postalCode), ("Country", location?.country),
            ("Time zone", location?.coordinates?.timeZone ?? location?.timeZone),
        ]
        return shown.compactMap { label, value in value.map { Challenge.Field(label, $0) } }
    }

    var origin: Challenge.Origin {
        let coordinates = info?.location?.coordinates
        var place: Challenge.Place?
        if let latitude = coordinates?.latitude, let longitude = coordinates?.longitude {
            place = Challenge.Place(latitude: latitude, longitude: longitude)
        }
        return Challenge.Origin(
            address: info?.ip, place: place, agent: info?.agent?.summary,
            application: info?.application)
    }
}

extension PushContext.Agent {
    /// The whole `User-Agent`, or where that is missing what PlusAuth has read from it.
    fileprivate var summary: String? {
        if let ua { return ua }
        let parts = [
            [browser?.name, browser?.version ?? browser?.major], [device?.vendor, device?.model],
            [os?.name, os?.version],
        ]
        let texts = parts.map { $0.compactMap(\.self).joined(separator: " ") }
            .filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}

extension PushContext.Info {
    fileprivate init(_ json: JSON) {
        application = json.line("application")
        ip = json.line("ip")
        userIdentifier = json.line("user_identifier")
        agent = json.part("agent").map(PushContext.Agent.init)
        location = json.part("location").map(PushContext.Location.init)
    }
}

extension PushContext.Agent {
    fileprivate init(_ json: JSON) {
        ua = json.line("ua")
        browser = json.part("browser").map {
            Browser(
                name: $0.line("name"), version: $0.line("version"), major: $0.line("major"))
        }
        cpu = json.part("cpu").map { CPU(architecture: $0.line("architecture")) }
        device = json.part("device").map {
            Device(type: $0.line("type"), vendor: $0.line("vendor"), model: $0.line("model"))
        }
        engine = json.part("engine").map(Product.init)
        os = json.part("os").map(Product.init)
    }
}

extension PushContext.Agent.Product {
    fileprivate init(_ json: JSON) {
        name = json.line("name")
        version = json.line("version")
    }
}

extension PushContext.Location {
    fileprivate init(_ json: JSON) {
        city = json.line("city")
        country = json.line("country").flatMap { Self.isCode($0) ? $0 : nil }
        postalCode = json.line("postal_code")
        coordinates = json.part("coordinates").map(Coordinates.init)
        timeZone = json.line("time_zone")
    }

    private static func isCode(_ text: String) -> Bool {
        (2...3).contains(text.utf8.count) && text.allSatisfy { $0.isASCII && $0.isLetter }
    }
}

extension PushContext.Location.Coordinates {
    fileprivate init(_ json: JSON) {
        accuracyRadius = json["accuracy_radius"]?.double
        latitude = json["latitude"]?.double
        longitude = json["longitude"]?.double
        timeZone = json.line("time_zone")
    }
}

extension JSON {
    fileprivate func line(_ name: String) -> String? {
        DisplayLine(self[name])?.text
    }

    /// A member, if it is an object.
    fileprivate func part(_ name: String) -> JSON? {
        self[name]?.object.map(JSON.object)
    }
}

/// A text for display, leniently: anything but a string with something to show counts as absent.
struct DisplayLine {
    let text: String

    /// Whether all that can be seen of the text is shown: it wasn't cut, and lost no marks.
    let isWhole: Bool

    private static let maximumLength = 200

    init?(_ json: JSON?) {
        guard let raw = json?.string, !raw.isEmpty else { return nil }
        var text = DisplayText.sanitized(raw, .body)
        if text.utf8.contains(0x0A) { text = String(text.map { $0.isNewline ? " " : $0 }) }
        guard !DisplayText.isBlank(text) else { return nil }
        let isCut = text.utf8.count > Self.maximumLength && text.count > Self.maximumLength
        self.text = isCut ? "\(text.prefix(Self.maximumLength - 1))…" : text
        isWhole = DisplayText.showsAll(of: raw, as: self.text)
    }
}
