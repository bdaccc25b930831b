extension ExpectedVendor {
    static let plusAuth = ExpectedVendor(
        name: "plusauth", exchanges: ["registration", "answer"])
}
