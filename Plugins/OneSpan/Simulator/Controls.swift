import Crypto
public import PushCore
import PushTesting

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a test or a demonstration does to it.
extension OneSpanSimulator {
    // MARK: Faults

    /// Spoils the next pushes, one fault each; those of an earlier call first.
    public func next(push faults: PushFault...) { pushService.spoil(by: faults) }

    /// Spoils the platform's next replies to commands, one fault each.
    public func next(reply faults: ReplyFault...) { replyFaults.append(contentsOf: faults) }

    /// Makes the customer's server fail at the next commands, one fault each.
    public func next(relay faults: RelayFault...) { relayFaults.append(contentsOf: faults) }

    /// Delivers the pushes that were held back.
    public func releasePushes() { pushService.release() }

    /// Returns once a reply is being held back.
    public func untilReplyIsHeld() async {
        guard heldReplies.isEmpty else { return }
        await withCheckedContinuation { holdWatchers.append($0) }
    }

    /// Lets the replies go that were held back.
    public func releaseReplies() {
        let held = heldReplies
        heldReplies = []
        for reply in held { reply.resume() }
    }

    /// Makes the push service refuse a user's identifiers, as after the app was installed again.
    ///
    /// - Throws: `PushError` with the code `notFound` if the user has none.
    public func makeIdentifiersStale(of user: String) throws(PushError) {
        let identifiers = (accounts[user]?.devices ?? []).compactMap {
            devices[$0]?.notificationIdentifier
        }
        guard !identifiers.isEmpty else {
            throw PushError(.notFound, "The user has no notification identifier.")
        }
        pushService.refuse(identifiers)
    }

    // MARK: Users and devices

    /// Locks a user, as an administrator or too many wrong responses would.
    ///
    /// - Throws: `PushError`: `notFound` if there is no such user.
    public func lock(_ user: String) throws(PushError) {
        try change(user) { $0.isLocked = true }
    }

    /// Unlocks a user and forgets the wrong responses.
    ///
    /// - Throws: `PushError`: `notFound` if there is no such user.
    public func unlock(_ user: String) throws(PushError) {
        try change(user) {
            $0.isLocked = false
            $0.wrongResponses = 0
        }
    }

    /// Disables a user, or enables one again.
    ///
    /// - Throws: `PushError`: `notFound` if there is no such user.
    public func disable(_ user: String, _ isDisabled: Bool = true) throws(PushError) {
        try change(user) { $0.isDisabled = isDisabled }
    }

    /// Whether a user is locked; `false` for an unknown one.
    public func isLocked(_ user: String) -> Bool { accounts[user]?.isLocked ?? false }

    /// Deletes a user's account but leaves the device records, as a broken back office might.
    ///
    /// - Throws: `PushError`: `notFound` if there is no such user.
    public func deleteAccount(of user: String) throws(PushError) {
        guard accounts.removeValue(forKey: user) != nil else { throw unknownUser }
        registrations[KeySchedule.handle(domain: domain, user: user)] = nil
    }

    /// A user's devices that hold keys, oldest first.
    public func devices(of user: String) -> [RegisteredDevice] {
        (accounts[user]?.devices ?? []).compactMap { devices[$0] }.map { device in
            RegisteredDevice(
                id: device.id.hex.lowercased(), isActivated: device.isActivated,
                hasBiometry: device.instanceKeys[AuthenticationMethod.biometric.rawValue] != nil,
                notificationIdentifier: device.notificationIdentifier,
                deviceToken: device.notificationIdentifier.flatMap {
                    NotificationIdentifier.deviceToken(in: $0)
                },
                counter: device.counters.highest)
        }
    }

    /// Removes a user's devices, as an administrator would. Their commands get −1300, sealed.
    public func removeDevices(of user: String) {
        for device in accounts[user]?.devices ?? [] { remove(device) }
    }

    /// Remembers the records of a user's devices for ``restoreDevices(of:)``.
    public func saveDevices(of user: String) {
        savedDevices[user] = (accounts[user]?.devices ?? []).compactMap { devices[$0] }
    }

    /// Puts back the records that ``saveDevices(of:)`` remembered, as a server restored from an
    /// old backup would: counters, keys and identifiers included.
    public func restoreDevices(of user: String) {
        for device in savedDevices[user] ?? [] {
            devices[device.id] = device
            guard accounts[user]?.devices.contains(device.id) == false else { continue }
            accounts[user]?.devices.append(device.id)
        }
    }

    // MARK: Keys

    /// All static public keys that the server takes, newest last.
    public var serverKeys: [Data] { serverPrivateKeys.map(\.publicKey.x963Representation) }

    /// Adds a static key, beside those that devices have pinned already, and returns it.
    public func rotateServerKey() -> Data {
        let key = P256.KeyAgreement.PrivateKey(drawnFrom: configuration.random)
        serverPrivateKeys.append(key)
        return key.publicKey.x963Representation
    }

    // MARK: Sessions

    /// The logins and transactions, oldest first.
    public var sessions: [Session] {
        requestOrder.compactMap { session($0) }
    }

    /// A login or a transaction; `nil` if there is none of this request identifier.
    public func session(_ id: String) -> Session? {
        current(id).map {
            Session(
                id: $0.id, sessionID: $0.sessionID, user: $0.user,
                isTransaction: $0.isTransaction, method: $0.method, display: $0.display,
                deadline: $0.deadline, status: $0.state, decision: $0.decision)
        }
    }

    private var unknownUser: PushError { PushError(.notFound, "There is no such user.") }

    private func change(
        _ user: String, _ body: (inout Account) -> Void
    ) throws(PushError) {
        guard var account = accounts[user] else { throw unknownUser }
        body(&account)
        accounts[user] = account
    }
}
