import Foundation
import PushCore

/// The device tokens of this device, in a file beside the store: the ones that the intakes answer
/// to, and those that `pushauth token set` chose.
struct DeviceTokenFile {
    private let file: PrivateFile

    init(besides store: String) {
        let store = URL(fileURLWithPath: store).standardizedFileURL.path
        file = PrivateFile(path: store + ".tokens.json")
    }

    /// What it holds.
    struct Tokens: Equatable {
        var fcm: String?
        var apns: String?

        /// Set by hand, the latest of each service: the vendors are told these, and no others.
        var chosen: [DeviceToken.Service: DeviceToken] = [:]

        /// What the FCM intake answers to.
        func fcmToken(for project: String, random: any RandomSource) -> String {
            if case .fcm(let token) = chosen[.fcm] { return token }
            // One of another project is nobody's any more.
            if let fcm, FCMToken.isToken(fcm, of: project) == true { return fcm }
            return FCMToken.make(for: project, random: random)
        }

        /// What the APNs intake answers to.
        func apnsToken(random: any RandomSource) -> String {
            if case .apns(let hex, _) = chosen[.apns] { return hex }
            return apns ?? random.hex(32)
        }
    }

    func read() throws(Failure) -> Tokens {
        guard let bytes = try file.read() else { return Tokens() }
        guard let json = try? JSON(parsing: bytes), json.object != nil else {
            throw Failure(
                .store, "The file \(file.path) can't be used.",
                advice: "Remove it: new device tokens are made, and told to the vendors.")
        }
        var tokens = Tokens(fcm: json["fcm"]?.string, apns: json["apns"]?.string)
        // An earlier version kept one, of whichever service.
        let chosen = json["chosen"].map { $0.array ?? [$0] } ?? []
        for token in chosen.compactMap(DeviceToken.init(kept:)) {
            tokens.chosen[token.service] = token
        }
        return tokens
    }

    /// The token that the file names for a service now; another process may have written it. `nil`
    /// if it names none, or can't be read.
    func chosen(_ service: DeviceToken.Service) -> DeviceToken? { (try? read())?.chosen[service] }

    func write(_ tokens: Tokens) throws(Failure) {
        var object = JSON.Object()
        object["fcm"] = tokens.fcm.map(JSON.string)
        object["apns"] = tokens.apns.map(JSON.string)
        let chosen = DeviceToken.Service.allCases.compactMap { tokens.chosen[$0]?.kept }
        if !chosen.isEmpty { object["chosen"] = .array(chosen) }
        try file.write(JSON.object(object).data)
    }

    /// Remembers what `pushauth token` chose beside what it chose of another service; `nil` for
    /// nothing of any service.
    func choose(_ token: DeviceToken?) throws(Failure) {
        var tokens = try read()
        if let token {
            tokens.chosen[token.service] = token
        } else {
            tokens.chosen = [:]
        }
        try write(tokens)
    }
}

extension DeviceToken {
    /// Reads what ``kept`` wrote; `nil` if it isn't that.
    fileprivate init?(kept json: JSON) {
        guard let text = json["token"]?.string else { return nil }
        switch json["kind"]?.string {
        case "fcm": self = .fcm(text)
        case "apns": self = .apns(hex: text, isSandbox: false)
        case "apns-sandbox": self = .apns(hex: text, isSandbox: true)
        default: return nil
        }
    }

    /// What the file holds of it.
    fileprivate var kept: JSON? {
        switch self {
        case .fcm(let token): ["kind": "fcm", "token": .string(token)]
        case .apns(let hex, let isSandbox):
            ["kind": isSandbox ? "apns-sandbox" : "apns", "token": .string(hex)]
        @unknown default: nil
        }
    }
}
