import Foundation

/// What `docs/vendors/xignin-oxrw.md#11-a-worked-example` says in words.
enum WorkedExample {
    static let idm = "idm-demo-1"
    static let manager = "manager.xignin.example"
    static let activation = "act-5f2c1b"
    static let process = "prc-9d0e7c4a"
    static let account = "alice@demo.example"
    static let token = "fcm-token-1"
    static let pin = "24680"
    static let wrongPIN = "13579"
    static let transaction = "Pay 12.50 EUR to Demo GmbH"
    static let personalized = 1_767_225_000
    static let issued = 1_767_225_600
    static let now = 1_767_225_630
    static let expiry = 1_767_225_780
}

extension Date {
    init(_ seconds: Int) { self.init(timeIntervalSince1970: Double(seconds)) }
}
