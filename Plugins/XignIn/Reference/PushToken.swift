import PushCore

/// A device token as managers get it: Firebase's, on Apple's systems, too, where Firebase passes
/// messages on to Apple's service by itself.
enum PushToken {
    /// The token's text.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` for another service's: it would lead
    ///   nowhere.
    static func text(_ token: DeviceToken) throws(PushError) -> String {
        guard case .fcm(let text) = token else {
            throw PushError(
                .invalidArgument, "Managers take Firebase's tokens, and this is another service's.")
        }
        return text
    }

    /// The name of the service, as managers have it: `test` for a device that no service reaches.
    static func platform(of device: Device, hasToken: Bool) -> String {
        switch device.platform {
        case .apple, .android: "fcm"
        default: hasToken ? "fcm" : "test"
        }
    }
}
