/// A user as the platform knows one.
struct Account {
    /// Parts a user from a later one of the same name.
    let number: Int
    var isLocked = false
    var isDisabled = false
    /// Wrong responses in a row, over all requests and password changes.
    var wrongResponses = 0
    /// Their devices in the order of activation, provisional ones included.
    var devices: [[UInt8]] = []
}
