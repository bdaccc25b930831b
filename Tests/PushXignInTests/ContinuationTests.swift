import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// `docs/vendors/xignin.md#opening-and-answering` over the uniform door: roles,
/// attributes, the transaction, and what is shown.
@Suite struct ContinuationTests {
    // MARK: What is shown

    @Test func `service, organization and what is released are there before anything is confirmed`()
        async throws
    {
        let harness = try await XignInHarness()
        let (pid, challenge, request) = try await harness.opened()
        #expect(request.idmIdentifier == WorkedExample.idm)
        #expect(request.processId == pid)
        #expect(request.serviceInformation == ServiceInformation(id: "svc-1", name: "Demo Shop"))
        #expect(request.organizationInformation.name == "Demo GmbH")
        #expect(request.organizationInformation.website == "https://demo.example")
        #expect(request.organizationInformation.address == nil)
        #expect(request.organizationInformation.description == nil)
        #expect(request.info.email?.value == WorkedExample.account)
        #expect(request.info.email?.isRequired == true)
        #expect(request.info.birthdate?.isRequired == false)
        #expect(request.info.birthdate?.value == nil)
        #expect(request.info.givenName == nil)
        #expect(request.transaction == WorkedExample.transaction)
        #expect(request.roles.map(\.id) == ["user"])
        #expect(request.roles.first?.name == "User")
        #expect(challenge.prompt == .approve)
        #expect(challenge.expiry == request.expiresAt)
        let shown = challenge.fields.map(\.value).joined(separator: "\n")
        #expect(shown.contains("Demo Shop"))
        #expect(shown.contains(WorkedExample.transaction))
    }

    @Test func `the deadline of the process is the manager's`() async throws {
        let harness = try await XignInHarness()
        let (pid, _, request) = try await harness.opened()
        let process = try #require(await harness.manager.processes[pid])
        #expect(request.expiresAt == Date(process.expiry))
    }

    // MARK: Roles and factors

    @Test func `the only role is taken by itself`() async throws {
        let harness = try await XignInHarness()
        let (_, challenge, _) = try await harness.opened()
        #expect(
            try await harness.phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.assertion()["role"] == "user")
    }

    @Test func `of several roles the user must choose one`() async throws {
        let roles = [
            XignInHarness.role("user", [["device"]]),
            XignInHarness.role("admin", [["pin", "device"]]),
        ]
        let harness = try await XignInHarness { $0.roles = roles }
        let (pid, challenge, request) = try await harness.opened()
        #expect(request.roles.map(\.id) == ["user", "admin"])
        let authenticator = harness.phone.authenticator
        for role in [nil, "root", ""] {
            let error = try await refusal {
                _ = try await authenticator.resolve(
                    challenge, with: .approve, extras: challenge.agreed(role: role))
            }
            #expect(error.code == .invalidResolution)
        }
        #expect(await harness.manager.requests(.finish).isEmpty)
        #expect(try await harness.phone.state(pid) == .open)
        let outcome = try await authenticator.resolve(
            challenge, with: .approve, extras: challenge.agreed(role: "admin"))
        #expect(outcome == .delivered)
        #expect(try await harness.assertion()["role"] == "admin")
        #expect(await harness.manager.complaints.isEmpty)
    }

    @Test func `what the user agreed to for one process approves no other`() async throws {
        let harness = try await XignInHarness()
        let (_, first, _) = try await harness.opened()
        let (pid, second, _) = try await harness.opened()
        let error = try await refusal {
            _ = try await harness.phone.authenticator.resolve(
                second, with: .approve, extras: first.agreed(role: "user"))
        }
        #expect(error.code == .invalidResolution)
        #expect(await harness.manager.requests(.finish).isEmpty)
        #expect(try await harness.phone.state(pid) == .open)
    }

    @Test(arguments: ["user", "admin"])
    func `the chosen role's own factors are what counts`(role: String) async throws {
        let roles = [
            XignInHarness.role("user", [["device"]]),
            XignInHarness.role("admin", [["pin", "device"]]),
        ]
        let harness = try await XignInHarness { $0.roles = roles }
        let (_, challenge, _) = try await harness.opened()
        let outcome = try await harness.phone.authenticator.resolve(
            challenge, with: .approve, extras: challenge.agreed(role: role))
        #expect(outcome == .delivered)
        let finish = try #require(await harness.manager.requests(.finish).last)
        let kinds = (finish["factors"]?.array ?? []).compactMap { $0["type"]?.string }
        #expect(Set(kinds).isSubset(of: ["pin"]))
        if role == "admin" { #expect(kinds == ["pin"]) }
    }

    @Test func `possession costs nothing, and only what this device can supply is asked for`()
        async throws
    {
        let harness = try await XignInHarness()
        let (_, challenge, request) = try await harness.opened()
        // The plan asks for biometry or PIN; this device has a PIN alone.
        #expect(challenge.verification == [[.pin]])
        #expect(request.availableAuthenticators == [.pin, .device])
    }

    @Test func `with a biometric key both ways are offered`() async throws {
        let harness = try await XignInHarness(keyGuard: ScriptedGuard())
        let (_, challenge, request) = try await harness.opened()
        #expect(challenge.verification.contains([.biometry]))
        #expect(request.availableAuthenticators.contains(.biometric))
        #expect(request.availableAuthenticators.contains(.device))
    }

    @Test(arguments: [
        [["biometric", "device"]], [["voice", "device"], ["biometric", "device"]],
    ])
    func `where this device can supply none, the app can explain what is missing`(
        lists: [[String]]
    ) async throws {
        let harness = try await XignInHarness { $0.roles = [XignInHarness.role("user", lists)] }
        let pid = try await harness.begin()
        let challenge = try await harness.phone.authenticator.challenge(harness.phone.id(pid))
        let request = try #require(challenge.details(as: AuthenticateRequest.self))
        #expect(request.roles.first?.requestedAuthenticators.count == lists.count)
        await #expect(throws: PushError.self) {
            _ = try await harness.phone.authenticator.resolve(challenge, with: .approve)
        }
        #expect(await harness.manager.requests(.finish).isEmpty)
        // A no needs no factor.
        #expect(try await harness.phone.authenticator.deny(harness.phone.id(pid)) == .delivered)
    }

    @Test func `an unknown factor beside one that is known doesn't stand in the way`()
        async throws
    {
        let roles = [XignInHarness.role("user", [["voice", "device"], ["pin", "device"]])]
        let harness = try await XignInHarness { $0.roles = roles }
        let (pid, challenge, _) = try await harness.opened()
        #expect(challenge.verification == [[.pin]])
        #expect(try await harness.approve(pid) == .delivered)
    }

    @Test(arguments: [[], [[]]] as [[[String]]])
    func `a role that asks for nothing isn't approved without a thought`(lists: [[String]])
        async throws
    {
        let harness = try await XignInHarness { $0.roles = [XignInHarness.role("user", lists)] }
        let pid = try await harness.begin()
        _ = try? await harness.approve(pid)
        #expect(await harness.manager.decisions(pid).count <= 1)
        #expect(await harness.manager.complaints.isEmpty)
    }

    @Test(arguments: [[], [nil], ["x"]] as [[JSON]])
    func `without a role that can be read there is nothing to approve`(roles: [JSON])
        async throws
    {
        let harness = try await XignInHarness { $0.roles = roles }
        let pid = try await harness.begin()
        let outcome = try? await harness.approve(pid)
        #expect(outcome != .delivered)
        #expect(await harness.manager.requests(.finish).isEmpty)
    }

    // MARK: Attributes

    @Test(
        arguments: [
            (nil, ["email"]), (["email"], ["email"]),
            (["email", "birthdate"], ["birthdate", "email"]),
        ] as [(Set<String>?, [String])])
    func `what the user releases is signed`(attributes: Set<String>?, expected: [String])
        async throws
    {
        let harness = try await XignInHarness()
        let (_, challenge, _) = try await harness.opened()
        let outcome = try await harness.phone.authenticator.resolve(
            challenge, with: .approve, extras: challenge.agreed(attributes: attributes))
        #expect(outcome == .delivered)
        let released = try await harness.assertion()["attrs"]?.array?.compactMap(\.string) ?? []
        #expect(released.sorted() == expected)
        #expect(await harness.manager.complaints.isEmpty)
    }

    @Test(arguments: [[], ["birthdate"], ["email", "shoe_size"], ["shoe_size"]] as [Set<String>])
    func `a required attribute that is refused, or one nobody asked for, finishes nothing`(
        attributes: Set<String>
    ) async throws {
        let harness = try await XignInHarness()
        let (pid, challenge, _) = try await harness.opened()
        let error = try await refusal {
            _ = try await harness.phone.authenticator.resolve(
                challenge, with: .approve, extras: challenge.agreed(attributes: attributes))
        }
        #expect(error.code == .invalidResolution)
        #expect(await harness.manager.requests(.finish).isEmpty)
        #expect(try await harness.phone.state(pid) == .open)
    }

    @Test func `a service that takes no data gets none`() async throws {
        let harness = try await XignInHarness { $0.info = [:] }
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
        #expect(try await harness.assertion()["attrs"] == [])
    }

    @Test func `a required attribute without a value is the manager's affair`() async throws {
        let info: JSON.Object = ["email": ["requirement": "required", "value": nil]]
        let harness = try await XignInHarness { $0.info = info }
        let pid = try await harness.begin()
        #expect(try await harness.approve(pid) == .delivered)
    }
}
