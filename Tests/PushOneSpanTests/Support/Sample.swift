import PushCore
import PushTesting

@testable import PushOneSpan

/// Users and passwords.
enum Sample {
    static let user = "alice", otherUser = "bob", domain = "example-domain"
    static let pin = "135790", wrongPIN = "246802"
}

/// The error that something throws, also by its documented name.
func refusal(
    _ body: () async throws -> Void, fileID: String = #fileID, line: Int = #line
) async throws -> PushError {
    try await PushTesting.refusal(
        {
            do {
                try await body()
            } catch let error as OrchestrationError { throw error.pushError }
        }, fileID: fileID, line: line)
}

extension Secret {
    /// Its bytes, which only a test may copy.
    var bytesForTest: [UInt8] { withBytes { Array($0) } }
}
