import PushPowerAuthSimulator
import Testing

@Suite struct ActivationStateTests {
    @Test func `states have the numbers of the status blob`() {
        #expect((1...5).map(ActivationState.init(rawValue:)) == [
            .created, .pendingCommit, .active, .blocked, .removed,
        ])
        #expect(ActivationState(rawValue: 0) == nil)
        #expect(ActivationState(rawValue: 6) == nil)
    }
}
