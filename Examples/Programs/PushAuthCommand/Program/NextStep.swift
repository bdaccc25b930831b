/// The command that a newcomer runs next, for the first errors: each works as it stands.
enum NextStep {
    /// A device that no push reaches can answer nothing, and many vendors enroll none.
    static let listen =
        "`pushauth listen --fcm 127.0.0.1:0 --credentials push` makes a device token, takes pushes, "
        + "and says how to answer them."

    static let enroll = "`pushauth enroll -` joins an account by the text of its QR code."
}
