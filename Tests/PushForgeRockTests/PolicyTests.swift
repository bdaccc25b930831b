import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// The device policies of `docs/vendors/forgerock.md#documented-names`.
@Suite struct PolicyTests {
    private static let asked = #"{"biometricAvailable":{},"deviceTampering":{"score":0.8}}"#

    /// Whether this device complies, as a test changes it.
    private actor Compliance {
        var complies: Bool
        init(_ complies: Bool) { self.complies = complies }
        func set(_ complies: Bool) { self.complies = complies }
    }

    private func harness(_ policies: [DevicePolicy], strict: Bool = false) throws
        -> ForgeRockHarness
    {
        try ForgeRockHarness(
            configuration: .init(policies: policies, refusesUnreadablePolicies: strict))
    }

    /// The policy's name, as an app reads it.
    private func violated(_ error: PushError) -> String? {
        (error.underlying as? PolicyViolation)?.policy
    }

    private func policy(_ name: String, _ complies: Bool) -> DevicePolicy {
        DevicePolicy(name) { _ in complies }
    }

    @Test func `a policy that isn't met refuses the enrollment before anything is sent`()
        async throws
    {
        let harness = try harness([.biometricAvailable { false }])
        let code = EnrollmentCode.combined(policies: Self.asked).text
        let error = try await refusal { try await harness.enroll(code) }
        #expect(error.code == .blocked)
        #expect(violated(error) == "biometricAvailable")
        #expect(await harness.transport.exchanges.isEmpty)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    @Test(arguments: [20, 30, 31, 32])
    func `a code with policies of any depth gives an enrollment that can be used`(depth: Int)
        async throws
    {
        let nested = (1..<depth).reduce(JSON.null) { value, _ in [value] }
        let policies: JSON = ["deep": nested]
        let harness = try harness([])
        try await harness.enroll(EnrollmentCode.combined(policies: policies.text).text)
        #expect(try await harness.notification(AMPush()).accept() == .delivered)
    }

    @Test func `a device that complies enrolls`() async throws {
        let harness = try harness([.biometricAvailable { true }, .deviceTampering { 0.79 }])
        #expect(try await harness.enroll(Vectors()("uri_mfa")).state == .active)
    }

    @Test(arguments: [(0.0, true), (0.79, true), (0.8, false), (1.0, false)])
    func `tampering is judged by the score that AM sends`(score: Double, complies: Bool)
        async throws
    {
        let harness = try harness([.deviceTampering(threshold: 0.1) { score }])
        let uri = try Vectors()("uri_mfa")
        if complies {
            try await harness.enroll(uri)
        } else {
            let error = try await refusal { try await harness.enroll(uri) }
            #expect(error.code == .blocked)
            #expect(violated(error) == "deviceTampering")
        }
    }

    @Test(arguments: [#"{}"#, #"{"score":"0.1"}"#, #"{"score":null}"#])
    func `a score that is no number leaves the app's threshold`(data: String) async throws {
        let code = EnrollmentCode.combined(policies: #"{"deviceTampering":\#(data)}"#).text
        try await harness([.deviceTampering(threshold: 0.5) { 0.4 }]).enroll(code)
        try await harness([.deviceTampering { 0.79 }]).enroll(code)
        await #expect(throws: PushError.self) {
            try await harness([.deviceTampering(threshold: 0.5) { 0.5 }]).enroll(code)
        }
        await #expect(throws: PushError.self) {
            try await harness([.deviceTampering { 0.8 }]).enroll(code)
        }
    }

    @Test func `a policy gets what AM sends beside its name`() async throws {
        let harness = try harness([DevicePolicy("custom") { $0 == ["level": 3] }])
        let code = EnrollmentCode.combined(policies: #"{"custom":{"level":3}}"#).text
        #expect(try await harness.enroll(code).state == .active)
    }

    @Test func `the first that isn't met, in the app's order, is named`() async throws {
        let harness = try harness([
            policy("notAsked", false), policy("met", true), policy("second", false),
            policy("first", false),
        ])
        let code = EnrollmentCode.combined(policies: #"{"first":{},"second":{},"met":{}}"#).text
        let error = try await refusal { try await harness.enroll(code) }
        #expect(violated(error) == "second")
    }

    @Test func `a policy that the app doesn't know is ignored`() async throws {
        let code = EnrollmentCode.combined(policies: Self.asked).text
        #expect(try await harness([]).enroll(code).state == .active)
    }

    @Test func `a policy that AM doesn't ask for is never judged`() async throws {
        let harness = try harness([policy("biometricAvailable", false)])
        #expect(try await harness.enroll(EnrollmentCode.combined().text).state == .active)
        #expect(try await harness.notification(AMPush()).accept() == .delivered)
    }

    // As in the vendor's apps (read in their sources).
    @Test(arguments: ["[]", "x", "{", "7"])
    func `policies that can't be read count as none, and the observer is told`(text: String)
        async throws
    {
        let harness = try harness([policy("biometricAvailable", false)])
        let code = EnrollmentCode.combined(policies: text).text
        #expect(try #require(try EnrollmentURI(code)).hasUnreadablePolicies)
        #expect(try await harness.enroll(code).state == .active)
        #expect(harness.observer.observations.map(\.kind) == [.noticed])
    }

    @Test(arguments: ["[]", "x", "{"])
    func `where the app wants so, policies that can't be read refuse the code`(text: String)
        async throws
    {
        let harness = try harness([], strict: true)
        let code = EnrollmentCode.combined(policies: text).text
        let error = try await refusal { try await harness.enroll(code) }
        #expect(error.code == .invalidInvitation)
        #expect(error.reason.contains("policies"))
        #expect(await harness.transport.exchanges.isEmpty)
    }

    // MARK: Later

    @Test func `a device that no longer complies may receive, and answers nothing`()
        async throws
    {
        let compliance = Compliance(true)
        let harness = try harness([
            DevicePolicy("biometricAvailable") { _ in
                await compliance.complies
            }
        ])
        try await harness.enroll(EnrollmentCode.combined(policies: Self.asked).text)
        let early = try await harness.notification(AMPush())
        await compliance.set(false)
        let late = try await harness.notification(AMPush().about(randomBytes()))
        for notification in [early, late] {
            let yes = try await refusal { _ = try await notification.accept() }
            let no = try await refusal { _ = try await notification.deny() }
            for error in [yes, no] {
                #expect(error.code == .blocked)
                #expect(violated(error) == "biometricAvailable")
            }
            #expect(try await notification.isPending)
        }
        #expect(try await harness.posts().isEmpty)
        await compliance.set(true)
        #expect(try await early.accept() == .delivered)
        #expect(try await late.deny() == .delivered)
    }

    @Test func `an enrollment's state tells the policy, and recovers`() async throws {
        let compliance = Compliance(true)
        let harness = try harness([
            DevicePolicy("biometricAvailable") { _ in
                await compliance.complies
            }
        ])
        try await harness.enroll(EnrollmentCode.combined(policies: Self.asked).text)
        let id = harness.enrollmentID
        #expect(try await harness.authenticator.refresh(id).state == .active)
        await compliance.set(false)
        #expect(
            try await harness.authenticator.refresh(id).state == .blocked("biometricAvailable"))
        #expect(
            try await harness.authenticator.enrollment(id)?.state == .blocked("biometricAvailable"))
        await compliance.set(true)
        #expect(try await harness.authenticator.refresh(id).state == .active)
        #expect(try await harness.posts().isEmpty)
    }
}
