import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What OXRW/1 keeps of an activation: never the PIN, its verifier, or the activation secret.
struct ActivationRecord {
    /// Where the manager is, and under which name it signs.
    let idm: String
    let manager: Endpoint

    /// The pinned keys of the manager, by their thumbprints.
    var managerKeys: [String: ES256PublicKey]

    /// How often the manager may be asked for its keys.
    var keyBudget = KeyBudget()

    /// The manager's name for the activation; `nil` as long as its answer hasn't come.
    private(set) var activation: String?

    let deviceKey: ES256PrivateKey

    /// How the PIN is stretched; `nil` if there is no PIN.
    let pin: PINParameters?

    /// The thumbprint of the key that biometry unlocks, which isn't kept.
    let biometry: String?

    /// What asks for the activation; `nil` once there is one.
    private(set) var request: ActivationRequest?

    init(
        _ link: ActivationLink, deviceKey: ES256PrivateKey, pin: PINParameters?,
        biometry: String?, request: ActivationRequest
    ) throws(PushError) {
        idm = link.idm
        manager = link.manager
        managerKeys = [try link.managerKey.thumbprint: link.managerKey]
        self.deviceKey = deviceKey
        self.pin = pin
        self.biometry = biometry
        self.request = request
    }

    /// The activation is there: what asked for it goes.
    mutating func activate(_ activation: String, managerKeys: [String: ES256PublicKey]) {
        self.activation = activation
        self.managerKeys = managerKeys
        request = nil
    }
}

extension ActivationRecord: ProviderCredential {
    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        let claims = Claims(record.fields)
        guard record.secrets.count == 3 else { throw Self.damaged }
        idm = try claims.text("idm")
        manager = try Endpoint(try claims.text("mgr"))
        managerKeys = [:]
        for (keyID, value) in try claims.object("keys").members.members {
            let point = try Base64.data(from: value.string ?? "", as: .url)
            managerKeys[keyID] = try ES256PublicKey(point: point)
        }
        keyBudget = KeyBudget(json: record.fields["keyQuestions"])
        activation = try claims.optionalText("activation")
        deviceKey = try ES256PrivateKey(record.secrets[0])
        pin = try claims.optionalObject("pin").map { (claims) throws(PushError) in
            PINParameters(
                salt: try Base64.data(from: try claims.text("salt"), as: .url),
                iterations: Int(try claims.integer("iterations")))
        }
        biometry = try claims.optionalText("biometricKey")
        request = try claims.optionalText("request").map {
            ActivationRequest(id: $0, macKey: record.secrets[1], body: record.secrets[2])
        }
    }

    var sealed: Secret {
        var fields: JSON.Object = ["idm": .string(idm), "mgr": .string(manager.text)]
        fields["keys"] = .object(
            JSON.Object(
                managerKeys.sorted { $0.key < $1.key }.map {
                    ($0.key, .string(Base64.encode($0.value.point, as: .url)))
                }))
        fields["keyQuestions"] = keyBudget.json
        fields["activation"] = activation.map(JSON.string)
        fields["pin"] = pin.map {
            [
                "salt": .string(Base64.encode($0.salt, as: .url)),
                "iterations": .number(.init(Int64($0.iterations))),
            ]
        }
        fields["biometricKey"] = biometry.map(JSON.string)
        fields["request"] = request.map { .string($0.id) }
        let none = Secret([])
        return Secret.Record(
            fields: fields,
            secrets: [deviceKey.secret, request?.macKey ?? none, request?.body ?? none]
        ).sealed
    }

    private static var damaged: PushError {
        PushError(.malformed, "The credential is damaged.")
    }
}
