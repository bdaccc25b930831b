/// Where an enrollment is ended.
public enum Removal: Hashable, Sendable {
    /// On this device alone: the vendor isn't told, and may go on sending pushes.
    case device
    /// At the vendor, where there is a call for it, then on this device.
    case everywhere
}
