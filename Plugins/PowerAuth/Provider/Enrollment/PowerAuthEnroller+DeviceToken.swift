import PushCore

extension PowerAuthEnroller {
    /// Registers the device for pushes, once the activation is active.
    ///
    /// Older servers know other names of the push services, so a server that can't make sense of the
    /// newer one is told the older one, once; those have no environments.
    func update(
        _ deviceToken: DeviceToken?, for enrollment: Enrollment.ID
    ) async throws(PushError) {
        guard let deviceToken else {
            throw PushError(.unsupported, "PowerAuth has no call that takes a token away.")
        }
        var reply = try await register(
            Registration(deviceToken, isOlder: false), of: enrollment)
        if reply.refusal == .invalidRequest {
            reply = try await register(
                Registration(deviceToken, isOlder: true), of: enrollment)
        }
        guard reply.isSuccess else {
            throw await channel.failure(reply, of: enrollment, factors: .possession)
        }
    }

    private func register(
        _ registration: Registration, of enrollment: Enrollment.ID
    ) async throws(PushError) -> HTTPReply {
        try await channel.withToken(
            enrollment, "/api/push/device/register/token", body: registration.body.data)
    }

    /// A device token in the server's words.
    private struct Registration {
        let body: JSON

        init(_ deviceToken: DeviceToken, isOlder: Bool) {
            var request: JSON.Object
            switch deviceToken {
            case .apns(let hex, let isSandbox):
                request = ["platform": .string(isOlder ? "ios" : "apns")]
                if !isOlder {
                    request["environment"] = .string(isSandbox ? "development" : "production")
                }
                request["token"] = .string(hex.uppercased())
            case .fcm(let text):
                request = [
                    "platform": .string(isOlder ? "android" : "fcm"), "token": .string(text),
                ]
            }
            body = ["requestObject": .object(request)]
        }
    }
}
