import Foundation
import PushCore

/// The device tokens of this device, in a file beside the store: the ones that the intakes answer
/// to, and the one that `pushauth token set` chose.
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

        /// Set by hand: the vendors are told this one, and no other.
        var chosen: DeviceToken?

        /// What the FCM intake answers to.
        func fcmToken(for project: String, random: any RandomSource) -> String {
            if case .fcm(let token) = chosen { return token }
            // One of another project is nobody's any more.
            if let fcm, FCMToken.isToken(fcm, of: project) == true { return fcm }
            return FCMToken.make(for: project, random: random)
        }

        /// What the APNs intake answers to.
        func apnsToken(random: any RandomSource) -> String {
            if case .apns(let hex, _) = chosen { return hex }
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
        let value = json["chosen"]?["token"]?.string
        switch json["chosen"]?["kind"]?.string {
        case "fcm": tokens.chosen = value.map { .fcm($0) }
        case "apns": tokens.chosen = value.map { .apns(hex: $0, isSandbox: false) }
        case "apns-sandbox": tokens.chosen = value.map { .apns(hex: $0, isSandbox: true) }
        default: break
        }
        return tokens
    }

    func write(_ tokens: Tokens) throws(Failure) {
        var object = JSON.Object()
        object["fcm"] = tokens.fcm.map(JSON.string)
        object["apns"] = tokens.apns.map(JSON.string)
        switch tokens.chosen {
        case .fcm(let token): object["chosen"] = ["kind": "fcm", "token": .string(token)]
        case .apns(let hex, let isSandbox):
            let kind: JSON = isSandbox ? "apns-sandbox" : "apns"
            object["chosen"] = ["kind": kind, "token": .string(hex)]
        default: break
        }
        try file.write(JSON.object(object).data)
    }

    /// Remembers what `pushauth token` chose; `nil` for nothing.
    func choose(_ token: DeviceToken?) throws(Failure) {
        var tokens = try read()
        tokens.chosen = token
        try write(tokens)
    }
}
