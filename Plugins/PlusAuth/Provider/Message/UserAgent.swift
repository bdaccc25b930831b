import PushCore

/// The `User-Agent` of requests. PlusAuth reads the device's vendor, model and system from it, which
/// no field of a request tells, and the login page lists them.
///
/// A parser finds them only beside versions. These are the ones that browsers have frozen theirs at,
/// so they tell nothing.
enum UserAgent {
    static func text(for device: Device) -> String {
        switch device.platform {
        case .apple: "PushAuth/1.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X)"
        case .android: "PushAuth/1.0 (Linux; Android 10; \(word(device.name)))"
        case .other: "PushAuth/1.0 (X11; Linux; \(word(device.name)))"
        }
    }

    /// A device's name, as far as it can stand in a comment of the header (RFC 9110 section 5.6.5).
    private static func word(_ name: String) -> String {
        let kept = name.unicodeScalars.filter { scalar in
            0x20...0x7E ~= scalar.value && !"();\\\"".unicodeScalars.contains(scalar)
        }
        let text = String(String.UnicodeScalarView(kept.prefix(64)))
        return text.allSatisfy { $0 == " " } ? "device" : text
    }
}
