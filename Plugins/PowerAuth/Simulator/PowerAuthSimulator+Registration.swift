import PushCore

extension PowerAuthSimulator {
    /// Answers the push server's part: the token says whose device it is.
    func register(_ incoming: Incoming) throws(Refusal) -> Reply {
        let activation = try bearer(incoming)
        guard let object = incoming.object, let name = object["platform"]?.string,
            let token = object["token"]?.string, !token.isEmpty,
            let platform = configuration.platforms.platform(name)
        else { throw .invalidRequest }
        let environment = object["environment"]?.string
        if let environment, !["development", "production"].contains(environment) {
            throw .invalidRequest
        }
        guard platform == .apple else {
            activations[activation.id]?.registration = PushRegistration(
                platform: name, environment: environment, token: .fcm(token))
            return .done
        }
        // Apple's device tokens are of 32 bytes.
        let isHex = token.utf8.allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
        guard isHex, token.utf8.count == 64 else { throw .registration }
        let isSandbox =
            environment.map { $0 == "development" } ?? configuration.isSandboxByDefault
        activations[activation.id]?.registration = PushRegistration(
            platform: name, environment: environment,
            token: .apns(hex: token, isSandbox: isSandbox))
        return .done
    }
}

/// Who delivers; Huawei's service is out of this simulator's scope.
private enum PushPlatform { case apple, google }

extension PowerAuthSimulator.PlatformNames {
    fileprivate func platform(_ name: String) -> PushPlatform? {
        let isNew = self != .before110
        let isOld = self != .newOnly
        switch name {
        case "apns" where isNew, "ios" where isOld: return .apple
        case "fcm" where isNew, "android" where isOld: return .google
        default: return nil
        }
    }
}
