import PushPowerAuth
import Testing

@Suite struct PowerAuthVersionTests {
    @Test func `versions read as headers spell them`() {
        #expect(PowerAuthVersion.allCases.map(\.rawValue) == ["3.1", "3.2", "3.3"])
    }
}
