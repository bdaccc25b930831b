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
        let world = try await World()
        let (pid, challenge, request) = try await world.opened()
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
        let world = try await World()
        let (pid, _, request) = try await world.opened()
        let process = try #require(await world.manager.processes[pid])
        #expect(request.expiresAt == Date(process.expiry))
    }

    // MARK: Roles and factors

    @Test func `the only role is taken by itself`() async throws {
        let world = try await World()
        let (_, challenge, _) = try await world.opened()
        #expect(
            try await world.phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.assertion()["role"] == "user")
    }

    @Test func `of several roles the user must choose one`() async throws {
        let roles = [World.role("user", [["device"]]), World.role("admin", [["pin", "device"]])]
        let world = try await World { $0.roles = roles }
        let (pid, challenge, request) = try await world.opened()
        #expect(request.roles.map(\.id) == ["user", "admin"])
        let authenticator = world.phone.authenticator
        for role in [nil, "root", ""] {
            let error = try await refusal {
                _ = try await authenticator.resolve(
                    challenge, with: .approve, extras: challenge.agreed(role: role))
            }
            #expect(error.code == .invalidResolution)
        }
        #expect(await world.manager.requests(.finish).isEmpty)
        #expect(try await world.phone.state(pid) == .open)
        let outcome = try await authenticator.resolve(
            challenge, with: .approve, extras: challenge.agreed(role: "admin"))
        #expect(outcome == .delivered)
        #expect(try await world.assertion()["role"] == "admin")
        #expect(await world.manager.complaints.isEmpty)
    }

    @Test func `what the user agreed to for one process approves no other`() async throws {
        let world = try await World()
        let (_, first, _) = try await world.opened()
        let (pid, second, _) = try await world.opened()
        let error = try await refusal {
            _ = try await world.phone.authenticator.resolve(
                second, with: .approve, extras: first.agreed(role: "user"))
        }
        #expect(error.code == .invalidResolution)
        #expect(await world.manager.requests(.finish).isEmpty)
        #expect(try await world.phone.state(pid) == .open)
    }

    @Test(arguments: ["user", "admin"])
    func `the chosen role's own factors are what counts`(role: String) async throws {
        let roles = [
            World.role("user", [["device"]]), World.role("admin", [["pin", "device"]]),
        ]
        let world = try await World { $0.roles = roles }
        let (_, challenge, _) = try await world.opened()
        let outcome = try await world.phone.authenticator.resolve(
            challenge, with: .approve, extras: challenge.agreed(role: role))
        #expect(outcome == .delivered)
        let finish = try #require(await world.manager.requests(.finish).last)
        let kinds = (finish["factors"]?.array ?? []).compactMap { $0["type"]?.string }
        #expect(Set(kinds).isSubset(of: ["pin"]))
        if role == "admin" { #expect(kinds == ["pin"]) }
    }

    @Test func `possession costs nothing, and only what this device can supply is asked for`()
        async throws
    {
        let world = try await World()
        let (_, challenge, request) = try await world.opened()
        // The plan asks for biometry or PIN; this device has a PIN alone.
        #expect(challenge.verification == [[.pin]])
        #expect(request.availableAuthenticators == [.pin, .device])
    }

    @Test func `with biometric keys both ways are offered`() async throws {
        let keypad = Keypad(prefersBiometry: true)
        let world = try await World(
            keypad: keypad, configuration: BiometricChip.configuration())
        let (_, challenge, request) = try await world.opened()
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
        let world = try await World { $0.roles = [World.role("user", lists)] }
        let pid = try await world.begin()
        let challenge = try await world.phone.authenticator.challenge(world.phone.id(pid))
        let request = try #require(challenge.details(as: AuthenticateRequest.self))
        #expect(request.roles.first?.requestedAuthenticators.count == lists.count)
        await #expect(throws: PushError.self) {
            _ = try await world.phone.authenticator.resolve(challenge, with: .approve)
        }
        #expect(await world.manager.requests(.finish).isEmpty)
        // A no needs no factor.
        #expect(try await world.phone.authenticator.deny(world.phone.id(pid)) == .delivered)
    }

    @Test func `an unknown factor beside one that is known doesn't stand in the way`()
        async throws
    {
        let roles = [World.role("user", [["voice", "device"], ["pin", "device"]])]
        let world = try await World { $0.roles = roles }
        let (pid, challenge, _) = try await world.opened()
        #expect(challenge.verification == [[.pin]])
        #expect(try await world.approve(pid) == .delivered)
    }

    @Test(arguments: [[], [[]]] as [[[String]]])
    func `a role that asks for nothing isn't approved without a thought`(lists: [[String]])
        async throws
    {
        let world = try await World { $0.roles = [World.role("user", lists)] }
        let pid = try await world.begin()
        _ = try? await world.approve(pid)
        #expect(await world.manager.decisions(pid).count <= 1)
        #expect(await world.manager.complaints.isEmpty)
    }

    @Test(arguments: [[], [nil], ["x"]] as [[JSON]])
    func `without a role that can be read there is nothing to approve`(roles: [JSON])
        async throws
    {
        let world = try await World { $0.roles = roles }
        let pid = try await world.begin()
        let outcome = try? await world.approve(pid)
        #expect(outcome != .delivered)
        #expect(await world.manager.requests(.finish).isEmpty)
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
        let world = try await World()
        let (_, challenge, _) = try await world.opened()
        let outcome = try await world.phone.authenticator.resolve(
            challenge, with: .approve, extras: challenge.agreed(attributes: attributes))
        #expect(outcome == .delivered)
        let released = try await world.assertion()["attrs"]?.array?.compactMap(\.string) ?? []
        #expect(released.sorted() == expected)
        #expect(await world.manager.complaints.isEmpty)
    }

    @Test(arguments: [[], ["birthdate"], ["email", "shoe_size"], ["shoe_size"]] as [Set<String>])
    func `a required attribute that is refused, or one nobody asked for, finishes nothing`(
        attributes: Set<String>
    ) async throws {
        let world = try await World()
        let (pid, challenge, _) = try await world.opened()
        let error = try await refusal {
            _ = try await world.phone.authenticator.resolve(
                challenge, with: .approve, extras: challenge.agreed(attributes: attributes))
        }
        #expect(error.code == .invalidResolution)
        #expect(await world.manager.requests(.finish).isEmpty)
        #expect(try await world.phone.state(pid) == .open)
    }

    @Test func `a service that takes no data gets none`() async throws {
        let world = try await World { $0.info = [:] }
        let pid = try await world.begin()
        #expect(try await world.approve(pid) == .delivered)
        #expect(try await world.assertion()["attrs"] == [])
    }

    @Test func `a required attribute without a value is the manager's affair`() async throws {
        let info: JSON.Object = ["email": ["requirement": "required", "value": nil]]
        let world = try await World { $0.info = info }
        let pid = try await world.begin()
        #expect(try await world.approve(pid) == .delivered)
    }
}
