import PushCore
import Testing

/// Tests that look at the plugin from outside alone: at what the app sees, what the customer's
/// server gets, and what is in the store. They were written before anyone had seen its code.
enum BlackBox {
    static let user = "alice", otherUser = "bob", domain = "example-domain"
    static let pin = "135790", wrongPIN = "246802"
}

extension Secret {
    /// Its bytes, which only a test may copy.
    var bytesForTest: [UInt8] { withBytes { Array($0) } }
}
