import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `users/register`, `registrations/check-status` and `unregister`.
extension OneSpanSimulator {
    /// `POST /v1/users/register`.
    func register(_ members: JSON.Object) throws(ServiceRefusal) -> ServiceReply {
        guard let user = members["userID"]?.string else { throw .badRequest("userID is missing.") }
        let registration = try openRegistration(of: user)
        var reply: JSON.Object = [
            "activationPassword": .string(String(decoding: registration.password, as: UTF8.self)),
            "serialNumber": .string("SIM\(1_000_000 + registrationCount)"),
            "registrationID": .string(registration.id),
        ]
        if members["objectType"]?.string == "AdaptiveRegisterUserInput" {
            reply["riskResponseCode"] = 0
        }
        return ServiceReply(200, .object(reply))
    }

    /// Makes a user known and a new activation password for them; an older one is void.
    func openRegistration(of user: String) throws(ServiceRefusal) -> Registration {
        guard (1...255).contains(user.utf8.count), !user.utf8.contains(0) else {
            throw .badRequest("userID has 1 to 255 bytes and no NUL.")
        }
        if accounts[user] == nil {
            accountCount += 1
            accounts[user] = Account(number: accountCount)
        }
        let account = try account(of: user)
        let handle = KeySchedule.handle(domain: domain, user: user)
        if let provisional = registrations[handle]?.provisional { remove(provisional) }
        registrationCount += 1
        let password = ActivationPassword.make(from: configuration.random)
        let registration = Registration(
            id: configuration.random.uuid().lowercased(), user: user, account: account.number,
            password: password,
            expiry: configuration.clock.now + configuration.activationPasswordLifetime.seconds)
        registrations[handle] = registration
        return registration
    }

    /// `POST /v1/registrations/check-status`. It doesn't wait: what `timeoutSeconds` means is
    /// UNCONFIRMED.
    func checkStatus(_ members: JSON.Object) throws(ServiceRefusal) -> ServiceReply {
        guard let login = members["login"]?.string else { throw .badRequest("login is missing.") }
        let suffix = "@" + domain
        let user = login.hasSuffix(suffix) ? String(login.dropLast(suffix.count)) : login
        return ServiceReply(200, ["activationStatus": .string(activationStatus(of: user))])
    }

    private func activationStatus(of user: String) -> String {
        let handle = KeySchedule.handle(domain: domain, user: user)
        guard let registration = registrations[handle] else { return "unknown" }
        if registration.isUsed {
            let isActivated = registration.device.flatMap { devices[$0]?.isActivated } ?? false
            return isActivated ? "activated" : "pending"
        }
        return configuration.clock.now > registration.expiry ? "timeout" : "pending"
    }

    /// `POST /v1/users/{user}@{domain}/unregister`.
    func unregister(_ user: String) throws(ServiceRefusal) -> ServiceReply {
        guard accounts[user] != nil else { throw .unknownUser }
        removeDevices(of: user)
        registrations[KeySchedule.handle(domain: domain, user: user)] = nil
        return ServiceReply(200, [:])
    }
}

/// A user as the platform knows one.
struct Account {
    /// Parts a user from a later one of the same name.
    let number: Int
    var isLocked = false
    var isDisabled = false
    /// Wrong responses in a row, over all requests and password changes.
    var wrongResponses = 0
    /// Their devices in the order of activation, provisional ones included.
    var devices: [[UInt8]] = []
}

/// A user's latest invitation to activate a device.
struct Registration {
    let id: String
    let user: String
    let account: Int
    let password: [UInt8]
    let expiry: Date
    var failures = 0
    /// Set when a device is activated: the password is used up.
    var isUsed = false
    /// The device that has proved the password and isn't activated yet.
    var provisional: [UInt8]?
    /// Half activations, oldest first.
    var flows: [ActivationFlow] = []
    /// The device that used it.
    var device: [UInt8]?
}

/// An activation between its first and its second round trip.
struct ActivationFlow {
    let id: [UInt8]
    /// es and ee, one behind the other.
    let shared: [UInt8]
    /// After S1.
    let transcript: [UInt8]
}

/// The eight characters that a user types to activate a device.
enum ActivationPassword {
    private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

    /// A password: 35 random bits, drawn as the low five bits of seven bytes, and a check character.
    static func make(from random: any RandomSource) -> [UInt8] {
        let indices = random.bytes(7).withBytes { $0.map { Int($0 & 31) } }
        let check = zip(stride(from: 1, through: 13, by: 2), indices).reduce(0) {
            $0 + $1.0 * $1.1
        }
        return (indices + [check % 32]).map { alphabet[$0] }
    }
}
