import Foundation

/// What the readers read.
enum Document {
    /// As large as most pushes: an alert, and one long signed string.
    static let push = Data(
        """
        {"aps":{"alert":{"title":"Acme Bank","body":"Do you sign in to your account?"},\
        "category":"acme.approve","badge":1},"id":"0b6a1a34-5f6e-4b54-9d0e-7f0a6f3d1c2b",\
        "issued":1767225600.25,"message":"\(String(repeating: "eyJhbGciOiJIUzI1NiJ9", count: 34))"}
        """.utf8)

    /// Nearly as large as the reader takes.
    static let rows: Data = {
        let rows = (0..<820).map { number in
            """
            {"id":\(number),"account":"alice-\(number)@acme.example","amount":\(number).25,"open":true}
            """
        }
        return Data("[\(rows.joined(separator: ","))]".utf8)
    }()

    /// As deep as the reader goes.
    static let nested = Data(
        (String(repeating: #"{"inner":"#, count: 31) + "{}" + String(repeating: "}", count: 31))
            .utf8)

    /// Where most of the work is in unescaping.
    static let strings: Data = {
        let string = #""Sign in from \"K\u00f6ln\"?\n\ud83d\udd11 \\ \/ caf\u00e9, 東京""#
        return Data("[\(Array(repeating: string, count: 200).joined(separator: ","))]".utf8)
    }()
}
