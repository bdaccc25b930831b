extension ExpectedVendor {
    static let oneSpan = ExpectedVendor(
        name: "onespan",
        exchanges: [
            "registration, step 1", "registration, step 2", "registration, step 3",
            "registration, step 4", "device token", "question", "answer",
        ],
        needsSection: true, signsPushes: false)
}
