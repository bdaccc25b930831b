extension PowerAuthSimulator {
    /// How a message for a Firebase token looks to the app.
    @nonexhaustive
    public enum FirebaseShape: Hashable, Sendable {
        /// To an Android app: the map `data`, all values strings.
        case data
        /// The same with the visible notification inside, as JSON text under `_notification`.
        case dataOnly
        /// To an iOS app that registered with Firebase: all extras beside `aps`, and in it.
        case appleTwice
        /// To such an app, all extras in `aps` only.
        case appleInside
    }
}
