import HTTPTypes
public import PushCore
import PushJOSE
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PlusAuthSimulator {
    /// Invites a user's device to enroll, as the QR code of a login page would.
    ///
    /// - Throws: `PushError` with the codes of ``enrollmentURI(for:)``.
    public func invitation(for user: String) throws(PushError) -> Invitation {
        .scanned(text: try enrollmentURI(for: user))
    }

    /// The text of a new QR code for a user; it enrolls one device.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if no one-time codes can be made with
    ///   the configured parameters.
    public func enrollmentURI(for user: String) throws(PushError) -> String {
        try openInvitation(for: user).uri
    }

    /// Opens an enrollment.
    func openInvitation(for user: String) throws(PushError) -> (token: String, uri: String) {
        let random = configuration.random
        let token = random.bytes(20).withBytes { Base64.encode(Data($0)) }
        let code = CodeSecret(secret: random.bytes(32), parameters: configuration.codes)
        _ = try code.generator()
        let uri = invitationText(for: user, token: token, code: code)
        openInvitations[token] = OpenInvitation(
            user: user, code: code, uri: uri,
            expiry: configuration.clock.now + configuration.enrollmentLifetime.inSeconds)
        return (token, uri)
    }

    private func invitationText(for user: String, token: String, code: CodeSecret) -> String {
        let issuer = configuration.application.percentEncoded()
        let secret = code.secret.withBytes { Base32.encode(Data($0)) }
        var query = [("issuer", issuer), ("secret", secret.replacing("=", with: ""))]
        if !code.parameters.isUnsaid {
            query.append(("algorithm", code.parameters.algorithm.rawValue))
            query.append(("digits", "\(code.parameters.digits)"))
            query.append(("period", "\(code.parameters.period)"))
        }
        query.append(("context_token", token.percentEncoded()))
        query.append(("enrollment_url", (origin + Path.enroll).percentEncoded()))
        let parameters = query.map { "\($0)=\($1)" }.joined(separator: "&")
        return "otpauth://push/\(issuer):\(user.percentEncoded())?\(parameters)"
    }

    /// Takes a device's keys and tokens.
    func enroll(
        bearer: String, _ fields: JSON.Object, _ request: HTTPRequest
    ) throws(Rejection) -> ServerReply {
        guard let openInvitation = openInvitations[bearer] else {
            guard tokens[bearer] == nil else {
                throw .unauthorized("invalid_audience", "The token is for an answer.")
            }
            throw .unauthorized("unauthorized_user", "The token is unknown.")
        }
        guard !openInvitation.isUsed, configuration.clock.now < openInvitation.expiry else {
            throw .unauthorized("unauthorized_user", "The token was used, or it is too late.")
        }
        let keys = try keys(in: fields)
        let device = try device(in: fields, key: keys, request)
        try makeRoom(for: device, of: openInvitation.user)
        openInvitations[bearer]?.isUsed = true
        credentials.append(
            PushCredential(
                user: openInvitation.user, device: device, privateKey: keys.private,
                signingKeyID: keys.signingKeyID, publicKey: keys.public, code: openInvitation.code))
        return .success
    }

    /// Decides about the credentials that the user's device already has.
    private func makeRoom(for device: RegisteredDevice, of user: String) throws(Rejection) {
        let taken = credentials.filter {
            $0.user == user && $0.device.deviceIdentifier == device.deviceIdentifier
        }.map(\.id)
        guard !taken.isEmpty else { return }
        switch configuration.reenrollment {
        case .refused:
            throw Rejection(
                status: 409, error: "already_exists", description: "The device is enrolled.")
        case .replaces: credentials.removeAll { taken.contains($0.id) }
        case .adds: break
        }
    }

    private typealias Keys = (
        public: AccountPublicKey, private: AccountPrivateKey, keyID: String, signingKeyID: String
    )

    private func keys(in fields: JSON.Object) throws(Rejection) -> Keys {
        guard let verifying = fields["public_key"]?.object,
            let signing = fields["private_key"]?.object
        else { throw .invalidEntity("public_key or private_key isn't an object.") }
        let keys: Keys
        do throws(PushError) {
            let (verifying, signing) = (try JWK(verifying), try JWK(signing))
            let keyID = verifying.keyID ?? ""
            keys = (
                try AccountPublicKey(verifying), try AccountPrivateKey(signing), keyID,
                signing.keyID ?? keyID
            )
        } catch {
            throw .invalidEntity(error.reason)
        }
        try check(keys)
        return keys
    }

    private func check(_ keys: Keys) throws(Rejection) {
        guard keys.public.algorithm == keys.private.algorithm else {
            throw .invalidEntity("The keys are of different algorithms.")
        }
        guard configuration.acceptsSplitKey || keys.private.publicKey.isSame(as: keys.public) else {
            throw .invalidEntity("The keys are halves of different pairs.")
        }
        for key in [keys.public, keys.private.publicKey] {
            guard let bits = key.rsaBits else {
                guard !configuration.requiresRSA else {
                    throw .invalidEntity("The key isn't an RSA key.")
                }
                continue
            }
            guard bits >= configuration.minimumRSABits else {
                throw .invalidEntity("The RSA key is too short.")
            }
        }
    }

    private func device(
        in fields: JSON.Object, key: Keys, _ request: HTTPRequest
    ) throws(Rejection) -> RegisteredDevice {
        guard let identifier = fields["device_identifier"]?.string, !identifier.isEmpty else {
            throw .invalidEntity("There is no device_identifier.")
        }
        guard let service = fields["credentials"]?["service"]?.string, !service.isEmpty,
            let token = fields["credentials"]?["device_token"]?.string, !token.isEmpty
        else { throw .invalidEntity("credentials lacks service or device_token.") }
        guard configuration.acceptedServices?.contains(service) ?? true else {
            throw .invalidEntity("The service is unknown.")
        }
        let userAgent = request.headerFields[.userAgent]
        return RegisteredDevice(
            id: self.identifier(), deviceIdentifier: identifier, service: service,
            deviceToken: service == "apns" ? .apns(hex: token, isSandbox: false) : .fcm(token),
            algorithm: key.public.algorithm, keyID: key.keyID, userAgent: userAgent,
            model: DeviceModel(userAgent: userAgent ?? ""))
    }
}

/// A QR code that was shown, by its context token.
struct OpenInvitation {
    let user: String
    var code: CodeSecret
    let uri: String
    let expiry: Date
    var isUsed = false
}
