extension ExpectedVendor {
    static let xignIn = ExpectedVendor(
        name: "xignin", exchanges: ["registration", "question", "start of an answer", "answer"],
        withdrawal: .byPush)
}
