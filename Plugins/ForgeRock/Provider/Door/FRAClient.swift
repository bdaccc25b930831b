public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Enrolls, lists and removes under the vendor's names.
///
/// The vendor's SDK starts one client, `FRAClient.shared`. Here the app makes one for its authenticator and
/// its provider. Policies are given to the provider, and the store to the environment.
public struct FRAClient: Sendable {
    let authenticator: PushAuthenticator
    let provider: ForgeRock

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin that was given to it.
    public init(_ authenticator: PushAuthenticator, _ provider: ForgeRock) {
        self.authenticator = authenticator
        self.provider = provider
    }

    // MARK: Enrolling

    /// Enrolls what a scanned code names. Ask for the user's consent first; the uniform door has an offer
    /// for that, `PushAuthenticator.offers(for:)`.
    ///
    /// - Returns: The mechanism; of a code for both, that for pushes.
    /// - Throws: `PushError` with the code `invalidInvitation` if it isn't a code of this vendor, else the
    ///   codes of `PushAuthenticator.enroll(_:)`.
    public func createMechanismFromUri(uri: URL) async throws(PushError) -> any Mechanism {
        let offers = try authenticator.offers(for: .scanned(text: uri.absoluteString))
        guard let offer = offers.first(where: { $0.provider == provider.id }) else {
            throw PushError(
                .invalidInvitation, "Not an enrollment code of this vendor.", provider: provider.id)
        }
        let enrollment = try await authenticator.enroll(offer)
        guard let mechanism = try await mechanisms(of: enrollment).first else {
            throw PushError(
                .unknownEnrollment, "The enrollment was removed meanwhile.", provider: provider.id)
        }
        return mechanism
    }

    /// The same with closures, as the vendor documents it. They run on the main actor.
    @preconcurrency @MainActor
    public func createMechanismFromUri(
        uri: URL, onSuccess: @escaping (any Mechanism) -> Void,
        onError: @escaping PushNotification.ErrorCallback
    ) {
        Task { @MainActor in
            do throws(PushError) {
                onSuccess(try await createMechanismFromUri(uri: uri))
            } catch {
                onError(error)
            }
        }
    }

    // MARK: Accounts and mechanisms

    /// All accounts of this vendor.
    ///
    /// - Throws: `PushError` with the code `storage` or `malformed` if the records can't be read.
    public func getAllAccounts() async throws(PushError) -> [Account] {
        var order: [[String]] = []
        var mechanisms: [[String]: [any Mechanism]] = [:]
        for enrollment in try await authenticator.enrollments()
        where enrollment.id.provider == provider.id {
            let name = [enrollment.issuer ?? "", enrollment.account ?? ""]
            if mechanisms[name] == nil { order.append(name) }
            mechanisms[name, default: []] += try await self.mechanisms(of: enrollment)
        }
        return order.map {
            Account(issuer: $0[0], accountName: $0[1], mechanisms: mechanisms[$0] ?? [])
        }
    }

    /// The account of this identifier; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `storage` or `malformed` if the records can't be read.
    public func getAccount(identifier: String) async throws(PushError) -> Account? {
        try await getAllAccounts().first { $0.identifier == identifier }
    }

    /// The account of a mechanism; `nil` if it was removed.
    ///
    /// - Throws: `PushError` with the code `storage` or `malformed` if the records can't be read.
    public func getAccount(mechanism: any Mechanism) async throws(PushError) -> Account? {
        try await getAccount(identifier: mechanism.accountIdentifier)
    }

    /// The mechanism of a notification; `nil` if it was removed.
    ///
    /// - Throws: `PushError` with the code `storage` or `malformed` if its record can't be read.
    public func getMechanism(
        notification: PushNotification
    ) async throws(PushError) -> PushMechanism? {
        try await authenticator.enrollment(notification.id.enrollment).map {
            PushMechanism(enrollment: $0, client: self)
        }
    }

    /// Ends the enrollment of a mechanism on this device, with all that it is for. AM isn't told: it has
    /// no call for that.
    ///
    /// - Throws: `PushError`, with the codes of `PushAuthenticator.remove(_:from:)`.
    public func removeMechanism(mechanism: any Mechanism) async throws(PushError) {
        try await authenticator.remove(mechanism.enrollment.id, from: .device)
    }

    /// Ends all enrollments of an account on this device.
    ///
    /// - Throws: `PushError`, with the codes of `PushAuthenticator.remove(_:from:)`.
    public func removeAccount(account: Account) async throws(PushError) {
        for mechanism in account.mechanisms { try await removeMechanism(mechanism: mechanism) }
    }

    private func mechanisms(
        of enrollment: Enrollment
    ) async throws(PushError) -> [any Mechanism] {
        guard let account = try await provider.accounts.account(enrollment.id) else { return [] }
        let kept: ForgeRockCredential = try account.credential()
        var mechanisms: [any Mechanism] = []
        if kept.takesPushes {
            mechanisms.append(PushMechanism(enrollment: enrollment, client: self))
        }
        guard let codes = kept.codes else { return mechanisms }
        switch codes.kind {
        case .totp(let period):
            mechanisms.append(
                TOTPMechanism(
                    enrollment: enrollment, digits: codes.digits, period: period, client: self))
        case .hotp:
            mechanisms.append(
                HOTPMechanism(enrollment: enrollment, digits: codes.digits, client: self))
        }
        return mechanisms
    }

    // MARK: Notifications

    /// All notifications of this vendor that are on record.
    ///
    /// - Throws: `PushError` with the code `storage` or `malformed` if the records can't be read.
    public func getAllNotifications() async throws(PushError) -> [PushNotification] {
        try await notifications(of: nil)
    }

    /// All notifications of a mechanism that are on record.
    ///
    /// - Throws: `PushError` with the code `storage` or `malformed` if the records can't be read.
    public func getAllNotifications(
        mechanism: PushMechanism
    ) async throws(PushError) -> [PushNotification] {
        try await notifications(of: mechanism.enrollment.id)
    }

    /// The notification of this identifier (``PushNotification/identifier``); `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `storage` or `malformed` if the records can't be read.
    public func getNotification(
        identifier: String
    ) async throws(PushError) -> PushNotification? {
        try await getAllNotifications().first { $0.identifier == identifier }
    }

    private func notifications(
        of enrollment: Enrollment.ID?
    ) async throws(PushError) -> [PushNotification] {
        let handler = FRAPushHandler(authenticator, provider: provider.id)
        var notifications: [PushNotification] = []
        for record in try await authenticator.records(of: enrollment)
        where record.id.enrollment.provider == provider.id {
            notifications.append(try await handler.notification(record.id))
        }
        return notifications
    }
}
