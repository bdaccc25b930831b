extension ExpectedVendor {
    static let powerAuth = ExpectedVendor(
        name: "powerauth",
        exchanges: [
            "registration", "refresh", "temporary key", "access token", "device token",
            "list of questions", "answer",
        ],
        needsSection: true, signsPushes: false, listsWhatWaits: true, withdrawal: .byPush)
}
