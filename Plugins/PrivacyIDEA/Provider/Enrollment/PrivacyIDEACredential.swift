import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The secret half of a token's record.
struct PrivacyIDEACredential: ProviderCredential {
    /// Where all requests but answers go.
    let url: Endpoint

    /// The token's name at its server.
    let serial: String

    /// How the app must be unlocked before a yes; `nil` if it needn't be.
    let unlock: AppUnlock?

    /// What tells the code that enrolled the token from others, without the code.
    let invitation: String

    /// The server's key, as DER.
    let serverKey: Data

    /// The device's key, as it is kept: no push needs it, and reading it costs more than a
    /// verification.
    private var deviceKey: Secret

    /// Whether the key is behind a guard.
    private var isGuarded = false

    init(_ invitation: PipushInvitation, _ deviceKey: DeviceKey, _ serverKey: ServerKey) {
        url = invitation.url
        serial = invitation.serial
        unlock = invitation.unlock
        self.invitation = Self.digest(of: invitation)
        self.deviceKey = deviceKey.stored
        self.serverKey = serverKey.pkcs1
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        guard record.secrets.count == 2 else {
            throw PushError(.malformed, "The credential lacks a key.")
        }
        let fields = record.fields
        url = try fields.required("url") { json in json.string.flatMap { try? Endpoint($0) } }
        serial = try fields.required("serial") { $0.string }
        invitation = try fields.required("invitation") { $0.string }
        unlock = try fields.optional("unlock") { $0.string.map(AppUnlock.init(word:)) }
        deviceKey = record.secrets[0]
        serverKey = record.secrets[1].withBytes { Data($0) }
    }

    var sealed: Secret {
        var fields: JSON.Object = [
            "url": .string(url.text), "serial": .string(serial),
            "invitation": .string(invitation),
        ]
        if let unlock { fields["unlock"] = .string(unlock.rawValue) }
        return Secret.Record(
            fields: fields, secrets: [deviceKey, Secret(serverKey)]
        ).sealed
    }

    /// The device's signature, in Base32. It takes milliseconds, away from the caller's actor.
    @concurrent func signature(
        over text: String, by keys: DeviceKeys
    ) async throws(PushError) -> String {
        guard deviceKey.count > 0 else { throw .locked }
        guard !isGuarded else {
            // What a guard has opened is in no cache, nor what was read before there was one.
            await keys.dropCaches()
            return try DeviceKey(stored: deviceKey).signature(over: text)
        }
        return try await keys.key(stored: deviceKey).signature(over: text)
    }

    /// The name of an enrollment: two servers may have one serial.
    static func id(serial: String, origin: String, of provider: ProviderID) -> Enrollment.ID {
        Enrollment.ID("\(serial)@\(origin)", of: provider)
    }

    /// A digest of the code's credential, which is spent and gone.
    static func digest(of invitation: PipushInvitation) -> String {
        invitation.credential.withBytes { bytes in
            Data(SHA256.hash(data: bytes)).base64EncodedString()
        }
    }
}

extension PrivacyIDEACredential: GuardedCredential {
    /// The device's key, which signs all that the server gets.
    var answerSecrets: [Secret] {
        get { deviceKey.count > 0 ? [deviceKey] : [] }
        set {
            deviceKey = newValue.first ?? Secret([])
            isGuarded = true
        }
    }
}
