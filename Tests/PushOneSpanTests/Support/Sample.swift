import PushCore
import Testing

@testable import PushOneSpan

/// Users and passwords.
enum Sample {
    static let user = "alice", otherUser = "bob", domain = "example-domain"
    static let pin = "135790", wrongPIN = "246802"
}

/// The error that something throws; the test fails if it throws none.
func refusal(
    _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> PushError {
    do {
        try await body()
    } catch let error as PushError {
        return error
    } catch let error as OrchestrationError {
        return error.pushError
    }
    throw NothingThrown(sourceLocation: sourceLocation)
}

/// A test expected an error, and there was none.
struct NothingThrown: Error {
    var sourceLocation: SourceLocation?
}

extension Secret {
    /// Its bytes, which only a test may copy.
    var bytesForTest: [UInt8] { withBytes { Array($0) } }
}
