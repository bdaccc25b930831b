import PushCore
import Testing

@testable import PushOneSpan

/// What lies beneath the plugin's errors.
@Suite struct OneSpanErrorTests {
    @Test func `a removed device has one meaning, whoever says so`() {
        let engine = OrchestrationError(.authenticator(-1300), "Removed.")
        let plugin = OrchestrationError(.authenticator(-1300))
        for error in [engine, plugin] {
            #expect(error.code == .blocked && error.pushError.code == .blocked)
            #expect(error.oneSpan == .authenticator(-1300))
            #expect(error.pushError.oneSpan == .authenticator(-1300))
            #expect(error.saysRemoved)
        }
    }
}
