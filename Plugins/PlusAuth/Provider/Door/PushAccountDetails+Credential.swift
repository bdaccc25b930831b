import PushCore

extension PushAccountDetails {
    init(_ credential: PlusAuthCredential, _ enrollment: Enrollment) {
        secret = credential.codes.secret
        hashAlg = credential.codes.algorithm.lowercased()
        codeLength = credential.codes.digits
        ttl = credential.codes.period
        isSIMBound = credential.sim.isBound
        simCardIdentifiers = (credential.sim.baseline ?? []).map {
            SIMCardIdentifier(slot: $0.slot, id: $0.hash)
        }
        if case .fcm(let token) = enrollment.deviceToken {
            fcmToken = token
        } else {
            fcmToken = nil
        }
        deviceIdentifier = credential.deviceIdentifier
    }
}
