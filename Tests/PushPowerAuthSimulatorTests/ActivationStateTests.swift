import PushPowerAuthSimulator
import Testing

@Suite struct ActivationStateTests {
    typealias State = PowerAuthSimulator.ActivationState

    @Test func `states have the numbers of the status blob`() {
        #expect(
            (1...5).map(State.init(rawValue:)) == [
                .created, .pendingCommit, .active, .blocked, .removed,
            ])
        #expect(State(rawValue: 0) == nil)
        #expect(State(rawValue: 6) == nil)
    }
}
