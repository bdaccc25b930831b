/// What a push asks for, under the vendor's names.
public enum PushType: String, Hashable, Sendable {
    /// Approve or deny.
    case `default`
    /// Choose, or enter, the number that the login page shows.
    case challenge
    /// Approve after a biometric check on the device, or deny. AM can't tell that it was made.
    case biometric
}
