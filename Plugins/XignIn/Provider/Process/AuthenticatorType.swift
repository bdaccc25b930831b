/// A factor that a manager can ask for.
public enum AuthenticatorType: Hashable, Sendable {
    /// The PIN of the activation.
    case pin
    /// The possession of the device: its key signs each answer, so it costs the user nothing.
    case device
    /// Biometry: a key that only it unlocks signs, too.
    case biometric
    /// Another one, under the manager's name for it; this version can't supply it.
    case unknown(String)

    /// Reads a manager's name for a factor.
    public init(name: String) {
        self =
            switch name {
            case "pin": .pin
            case "device": .device
            case "biometric": .biometric
            default: .unknown(name)
            }
    }
}
