import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a device signed: that it approves exactly this.
struct Assertion {
    let role: XignInSimulator.Role
    /// The names of the attributes the user lets go.
    let attributes: Set<String>

    init(
        _ token: String, of device: Activation, for process: LoginProcess, at idm: String
    ) throws(Refusal) {
        guard let claims = device.key.claims(of: token, type: "oxrw-asr+jwt") else {
            throw .invalidDeviceSignature("the assertion isn't signed by the device")
        }
        let members = StrictMembers(claims)
        guard claims["iss"]?.string == device.id, claims["aud"]?.string == idm,
            XignInSimulator.Identifier.isWellFormed(try members.text("jti")),
            try members.integer("exp") == process.expiry,
            try members.integer("iat") < process.expiry
        else { throw .malformed("the assertion's frame is wrong") }
        guard claims["pid"]?.string == process.id, claims["svc"]?.string == process.service.id,
            claims["challenge"]?.string == process.challenge,
            claims["decision"]?.string == "approve"
        else { throw .malformed("the assertion isn't about this process as it is now") }
        guard try members.optional("tx") == process.transactionHash else {
            throw .malformed("tx isn't the transaction's hash")
        }
        let name = try members.text("role")
        guard let role = process.roles.first(where: { $0.id == name }) else {
            throw .malformed("the role was not offered")
        }
        self.role = role
        attributes = try Self.attributes(in: claims, asked: process.attributes)
    }

    private static func attributes(
        in claims: JSON.Object, asked: [XignInSimulator.Attribute]
    ) throws(Refusal) -> Set<String> {
        let list = claims["attrs"]?.array
        let names = list?.compactMap(\.string) ?? []
        let released = Set(names)
        let required = asked.filter { $0.requirement == .required }.map(\.name)
        guard let list, released.count == list.count, released.isSuperset(of: required),
            released.isSubset(of: asked.map(\.name))
        else { throw .malformed("attrs doesn't release what is required, or more than asked for") }
        return released
    }
}

/// The factors beside an assertion, each bound to it by its hash.
struct Factors {
    private var biometric: String?
    private var pin: String?

    init(_ list: JSON?) throws(Refusal) {
        guard let list = list?.array else { throw .malformed("factors isn't a list") }
        for factor in list {
            guard let object = factor.object else { throw .malformed("a factor isn't an object") }
            let members = StrictMembers(object)
            switch try members.text("type") {
            case "biometric" where biometric == nil: biometric = try members.text("assertion")
            case "pin" where pin == nil: pin = try members.text("proof")
            default: throw .malformed("a factor is unknown or comes twice")
            }
        }
    }

    /// The kinds that came; an assertion is the device's factor.
    var types: Set<XignInSimulator.Authenticator> {
        var types: Set<XignInSimulator.Authenticator> = [.device]
        if biometric != nil { types.insert(.biometric) }
        if pin != nil { types.insert(.pin) }
        return types
    }

    /// Whether each factor that came, and that the device has set up, is right.
    func areRight(
        for device: Activation, process: String, challenge: String, hash: String
    ) -> Bool {
        if let biometric, let key = device.biometricKey {
            let claims = key.claims(of: biometric, type: "oxrw-bio+jwt")
            guard claims?["asr"]?.string == hash, claims?["iat"]?.integer != nil else {
                return false
            }
        }
        if let pin, let key = device.pinKey {
            let message = Data("OXRW1-PIN\n\(process)\n\(challenge)\n\(hash)".utf8)
            guard let proof = try? Base64.data(from: pin, as: .url),
                HMAC<SHA256>.isValidAuthenticationCode(proof, authenticating: message, using: key)
            else { return false }
        }
        return true
    }
}
