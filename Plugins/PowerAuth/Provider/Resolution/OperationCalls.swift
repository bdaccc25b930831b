extension SignedCall {
    static let authorize = SignedCall(
        path: "/api/auth/token/app/operation/authorize", uriID: "/operation/authorize")
    static let cancel = SignedCall(
        path: "/api/auth/token/app/operation/cancel", uriID: "/operation/cancel")
    static let history = SignedCall(
        path: "/api/auth/token/app/operation/history", uriID: "/operation/history")
}

/// The calls that a token proves.
enum OperationPath: String {
    case list = "/api/auth/token/app/operation/list"
    case detail = "/api/auth/token/app/operation/detail"
    case claim = "/api/auth/token/app/operation/detail/claim"
}
