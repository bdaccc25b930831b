extension ExpectedVendor {
    static let privacyIDEA = ExpectedVendor(
        name: "privacyidea", exchanges: ["registration", "list of questions", "answer"],
        listsWhatWaits: true, withdrawal: .byList)
}
