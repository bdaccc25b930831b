import HTTPTypes
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An enrollment that waits for a device, or did.
struct PendingEnrollment {
    let user: String
    let nonce: String
    let issued: Int64
    let expiry: Int64

    /// What its address ends in, where codes have the address.
    let handle: String
    let fault: KeycloakSimulator.BadToken?
    var isPending = true
}

extension KeycloakSimulator {
    /// Makes a user if there is none of this name, and invites a device to enroll.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the realm can't sign.
    public func invitation(for user: String) throws(PushError) -> Invitation {
        .scanned(text: try enrollmentCode(for: user))
    }

    /// Makes a user if there is none of this name; the text of a QR code to enroll by.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - fault: What is wrong with the token in the code, or behind its address.
    /// - Returns: The text.
    /// - Throws: `PushError` with the code `invalidArgument` if the realm can't sign.
    public func enrollmentCode(
        for user: String, spoiledBy fault: BadToken? = nil
    ) throws(PushError) -> String {
        let sub = identifier(of: user) ?? configuration.identifier()
        if users[sub] == nil { users[sub] = User(id: sub, name: user) }
        let id = configuration.identifier()
        // In standard Base64 without padding, as the extension writes it.
        let nonce = configuration.random.bytes(32).withBytes { Base64.encode(Data($0)) }
        let enrollment = PendingEnrollment(
            user: sub, nonce: nonce.replacing("=", with: ""), issued: configuration.seconds,
            expiry: configuration.seconds + Int64(configuration.enrollmentLifetime.inSeconds),
            handle: configuration.identifier(), fault: fault)
        enrollments[id] = enrollment
        let (name, value) =
            configuration.usesRequestURI
            ? ("request_uri", "\(issuer)/push-mfa/enroll/request-token/\(enrollment.handle)")
            : ("token", try token(of: enrollment, id))
        return Self.link(configuration.enrollmentLink, name, value)
    }

    /// A link with one parameter; the bare value where no link is set.
    static func link(_ prefix: String, _ name: String, _ value: String) -> String {
        guard !prefix.isEmpty else { return value }
        let escaped = value.replacing(":", with: "%3A").replacing("/", with: "%2F")
        return "\(prefix)?\(name)=\(escaped)"
    }

    private func token(of enrollment: PendingEnrollment, _ id: String) throws(PushError) -> String {
        let claims =
            enrollment.fault == .otherKind
            ? confirmClaims(
                credential: configuration.identifier(), id: id, from: enrollment.issued,
                to: enrollment.expiry)
            : claims(of: enrollment, id)
        return try signed(claims, spoiledBy: enrollment.fault)
    }

    /// What an enrollment token says.
    func claims(of enrollment: PendingEnrollment, _ id: String) -> JSON.Object {
        [
            "iss": .string(issuer), "aud": .string(configuration.realm),
            "typ": "push-enroll-challenge", "sub": .string(enrollment.user),
            "username": .string(users[enrollment.user]?.name ?? ""),
            "realm": .string(configuration.realm), "enrollmentId": .string(id),
            "nonce": .string(enrollment.nonce), "exp": .integer(enrollment.expiry),
            "iat": .integer(enrollment.issued),
        ]
    }

    /// The token behind an address, signed anew at each request.
    func requestedToken(_ handle: String) throws(Refusal) -> ServerReply {
        guard let uuid = UUID(uuidString: handle) else { throw .notUUID("handle") }
        let found = enrollments.first {
            $0.value.handle == uuid.uuidString.lowercased() && isOpen($0.value)
        }
        guard let found else { throw Refusal(404, "Enrollment request not found") }
        guard let token = try? token(of: found.value, found.key) else { throw .broken }
        return ServerReply(200, type: "application/jwt", Data(token.utf8))
            .with(.cacheControl, "no-store")
    }

    private func isOpen(_ enrollment: PendingEnrollment) -> Bool {
        enrollment.isPending && enrollment.expiry > configuration.seconds
    }

    // MARK: The device's answer

    /// Takes a device's key, after the extension's checks in their order.
    func completeEnrollment(_ call: Call) throws(Refusal) -> ServerReply {
        let token = try answerToken(in: call.members(), "enrollment token")
        let subject = try token.text("sub", longest: 128)
        guard var user = users[subject] else { throw .userNotFound }
        let id = try token.claims.uuid("enrollmentId")
        try checkEnrollment(id, of: user, token)
        let device = try device(from: token)
        try checkProof(of: call, user, device)
        try token.check(by: device.key, orElse: "Invalid enrollment token signature")
        enrollments[id]?.isPending = false
        user.devices.append(device)
        users[subject] = user
        return ServerReply(status: "enrolled")
    }

    /// The signed token in a body, whose algorithm the server takes.
    func answerToken(
        in members: JSON.Object, _ name: String
    ) throws(Refusal) -> SignedToken {
        guard let text = members["token"]?.string, !text.isEmpty else { throw .missing("token") }
        guard text.utf8.count <= SignedToken.longest else { throw .tooLong("token") }
        guard let token = SignedToken(text) else { throw Refusal(400, "Invalid \(name)") }
        guard token.algorithm != nil else {
            throw .badAlgorithm(token.header["alg"]?.string, of: name)
        }
        return token
    }

    private func checkEnrollment(
        _ id: String, of user: User, _ token: SignedToken
    ) throws(Refusal) {
        guard let enrollment = enrollments[id] else {
            guard openLogin(id) != nil else { throw .challengeNotFound }
            throw Refusal(400, "Challenge is not for enrollment")
        }
        guard enrollment.user == user.id else {
            throw Refusal(403, "Challenge does not belong to user")
        }
        guard isOpen(enrollment) else { throw .resolved }
        guard token.isCurrent(at: configuration.seconds) else {
            throw Refusal(400, "enrollment token expired")
        }
        let nonce = try token.text("nonce", longest: 256)
        guard Secret(copying: nonce).isEqualInConstantTime(to: Secret(copying: enrollment.nonce))
        else { throw Refusal(403, "Nonce mismatch") }
    }

    private func device(from token: SignedToken) throws(Refusal) -> Device {
        guard let jwk = token.claims["cnf"]?["jwk"] else {
            throw Refusal(400, "Enrollment token is missing cnf.jwk claim")
        }
        guard jwk.utf8.count <= 8192 else { throw .tooLong("cnf.jwk") }
        let key = try DeviceKey(jwk)
        if let algorithm = token.algorithm { try key.check(algorithm) }
        let type = try token.text("deviceType", longest: 64)
        let provider = try token.claims.optionalText("pushProviderType", longest: 64) ?? "none"
        let providerID = try token.claims.optionalText("pushProviderId", longest: 2048)
        guard provider == "none" || providerID != nil else {
            throw Refusal(400, "pushProviderId required unless pushProviderType=none")
        }
        let credential = try token.text("credentialId", longest: 128)
        let name = try token.text("deviceId", longest: 128)
        let label = try token.claims.optionalText("deviceLabel", longest: 128)
        return Device(
            credentialID: credential, deviceID: name, type: type,
            label: label ?? "Push MFA Device", providerType: provider, providerID: providerID ?? "",
            key: key)
    }

    /// The proof is by the new key. Where none is required, what comes is checked all the same: a
    /// proof with its token, or a token alone.
    private func checkProof(
        of call: Call, _ user: User, _ device: Device
    ) throws(Refusal) {
        let fields = call.request.headerFields
        guard configuration.requiresProofToEnroll || fields[.dpop] != nil else {
            if fields[.authorization] != nil { _ = try accessToken(of: call) }
            return
        }
        let proof = try proof(of: call)
        guard proof.user == user.id else { throw Refusal(403, "DPoP proof sub mismatch") }
        guard proof.device == device.deviceID else {
            throw Refusal(403, "DPoP proof deviceId mismatch")
        }
        try check(proof, by: device.key)
    }
}
