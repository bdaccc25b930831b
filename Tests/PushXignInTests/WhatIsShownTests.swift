import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What the user sees is what is approved: whatever can't be read or shown makes a process one that
/// can only be rejected.
@Suite struct WhatIsShownTests {
    /// A part of a question, bent.
    struct Bent: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout Manager.Plan) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout Manager.Plan) -> Void) {
            (testDescription, self.change) = (name, change)
        }
    }

    private static let long = String(repeating: "x", count: 3000)
    private static let turned = "abc\u{202E}def"
    private static let text: JSON = ["requirement": "optional", "value": "x"]
    private static let device: [[String]] = [["device"]]

    private static func named(_ name: String) -> JSON {
        [
            "id": .string("r-\(name.unicodeScalars.count)"), "name": .string(name),
            "requested_authenticators": [["device"]],
        ]
    }

    private static func organization(_ name: String, _ value: String) -> JSON {
        var members: JSON.Object = [
            "name": "Demo GmbH", "website_url": nil, "address": nil, "description": nil,
        ]
        members[name] = .string(value)
        return .object(members)
    }

    private static let many = (0..<33).map { XignInHarness.role("role-\($0)", device) }
    private static let attributes = JSON.Object((0..<33).map { ("a-\($0)", text) })

    static let service = [
        Bent("a service without a name") { $0.service = ["id": "svc-1", "name": ""] },
        Bent("a service of blanks") { $0.service = ["id": "svc-1", "name": " \n"] },
        Bent("a service that turns around") {
            $0.service = ["id": "svc-1", "name": .string(turned)]
        },
        Bent("a service that is too long") { $0.service = ["id": "svc-1", "name": .string(long)] },
        Bent("an organization that turns around") {
            $0.organization = organization("name", turned)
        },
        Bent("a long description") { $0.organization = organization("description", long) },
        Bent("a hidden website") { $0.organization = organization("website_url", "a\u{200B}b") },
        Bent("a hidden address") { $0.organization = organization("address", "a\u{7}b") },
        Bent("a text that is cut") { $0.transaction = long },
        Bent("a text that turns around") { $0.transaction = turned },
        Bent("an empty text") { $0.transaction = "" },
    ]

    static let roles = [
        Bent("a role without a name") { $0.roles = [named("")] },
        Bent("a role of blanks") { $0.roles = [named("  ")] },
        Bent("a role that turns around") { $0.roles = [named(turned)] },
        Bent("a role that is too long") { $0.roles = [named(long)] },
        Bent("two roles of one name") {
            let second: JSON = [
                "id": "other", "name": "user", "requested_authenticators": [["device"]],
            ]
            $0.roles = [named("user"), second]
        },
        Bent("one role twice") { $0.roles = [named("user"), named("user")] },
        Bent("a role that can't be read, beside another") { $0.roles = [named("user"), "x"] },
        Bent("a role without an identifier") { $0.roles = [named("user"), ["name": "x"]] },
        Bent("factors that can't be read") {
            $0.roles = [
                [
                    "id": "user", "name": "User",
                    "requested_authenticators": [["device"], [7]],
                ]
            ]
        },
        Bent("an unknown factor alone") { $0.roles = [XignInHarness.role("user", [["voice"]])] },
        Bent("too many roles") { $0.roles = many },
        Bent("too many sets of factors") {
            $0.roles = [XignInHarness.role("user", Array(repeating: ["device"], count: 33))]
        },
    ]

    static let info = [
        Bent("an attribute without a name") { $0.info = JSON.Object([("", text)]) },
        Bent("an attribute whose name can't be one") { $0.info = JSON.Object([("e mail", text)]) },
        Bent("an attribute with a long name") {
            $0.info = JSON.Object([(String(repeating: "a", count: 65), text)])
        },
        Bent("an attribute with another's name") { $0.info = JSON.Object([("Service", text)]) },
        Bent("an unknown requirement") {
            $0.info = ["email": ["requirement": "preferred", "value": "x"]]
        },
        Bent("an attribute that is no object") { $0.info = ["email": "x"] },
        Bent("a value of another kind") {
            $0.info = ["email": ["requirement": "optional", "value": 7]]
        },
        Bent("a value that is too long") {
            $0.info = ["email": ["requirement": "optional", "value": .string(long)]]
        },
        Bent("a value that turns around") {
            $0.info = ["email": ["requirement": "optional", "value": .string(turned)]]
        },
        Bent("too many attributes") { $0.info = attributes },
    ]

    @Test func `each part of the documented request is on the screen`() async throws {
        let harness = try await XignInHarness {
            $0.organization = [
                "name": "Demo GmbH", "website_url": "https://demo.example", "address": "Ulm",
                "description": "A shop.",
            ]
            $0.transaction = "Pay 5 EUR"
            $0.info = ["email": ["requirement": "optional", "value": "jane@demo.example"]]
        }
        let (_, challenge, request) = try await harness.opened()
        let labels = challenge.shown.map(\.label)
        for label in [
            "Service", "Organization", "Website", "Address", "Description", "Transaction",
        ] {
            #expect(labels.contains(label))
        }
        #expect(challenge.shown.contains(.init("email", "jane@demo.example")))
        for role in request.roles { #expect(challenge.shown.contains(.init("Role", role.name))) }
    }

    @Test(arguments: service + roles + info)
    func `what can't be read or shown as it is can only be rejected, and the rest is shown`(
        bent: Bent
    ) async throws {
        let harness = try await XignInHarness(plan: bent.change)
        let (pid, challenge, request) = try await harness.opened()
        guard case .denyOnly(let why) = challenge.prompt else {
            Issue.record("It can be approved.")
            return
        }
        #expect(!why.isEmpty)
        let labels = challenge.fields.map(\.label)
        #expect(labels.contains("Service"))
        #expect(labels.contains("Organization"))
        let error = try await refusal {
            _ = try await harness.phone.authenticator.resolve(
                challenge, with: .approve, extras: challenge.agreed(role: request.roles.first?.id))
        }
        #expect(error.code == .unsupported)
        #expect(await harness.manager.requests(.finish).isEmpty)
        #expect(try await harness.phone.authenticator.deny(harness.phone.id(pid)) == .delivered)
        #expect(await harness.manager.complaints.isEmpty)
    }

    @Test(arguments: service + roles + info)
    func `the vendor's door approves no such process, either`(bent: Bent) async throws {
        let harness = try await XignInHarness(plan: bent.change)
        let pid = await harness.manager.begin()
        guard
            case .authentication(let message) = try await harness.phone.handle(
                try #require(await harness.manager.take().first))
        else {
            Issue.record("It is announced.")
            return
        }
        let door = harness.phone.door
        let data = try await door.fetchPushAuthenticationInitializationData(message: message)
        let request = try await door.startAuthentication(data: data)
        await #expect(throws: XignSdkError.self) {
            _ = try await door.finishAuthentication(
                userInfo: AuthenticationUserInformation(for: request))
        }
        #expect(await harness.manager.requests(.finish).isEmpty)
        try await door.reject(message: message)
        #expect(await harness.manager.decisions(pid) == ["reject user_declined"])
    }

    @Test func `of too many roles and attributes as many as fit are shown`() async throws {
        let harness = try await XignInHarness {
            $0.roles = Self.many
            $0.info = Self.attributes
        }
        let (_, challenge, request) = try await harness.opened()
        #expect(request.roles.count == 32)
        #expect(request.info.attributes.count == 32)
        #expect(challenge.fields.count { $0.label == "Role" } == 32)
        #expect(challenge.fields.count { $0.label.hasPrefix("a-") } == 32)
        #expect(request.approvalObstacle != nil)
    }

    @Test func `the role that is signed is shown`() async throws {
        let harness = try await XignInHarness {
            $0.roles = [
                XignInHarness.role("user", [["device"]]), XignInHarness.role("admin", [["device"]]),
            ]
        }
        let (_, challenge, _) = try await harness.opened()
        #expect(challenge.prompt == .approve)
        let shown = challenge.fields.filter { $0.label == "Role" }.map(\.value)
        #expect(shown == ["USER", "ADMIN"])
    }

    @Test func `line breaks may be written in another way`() async throws {
        let harness = try await XignInHarness {
            $0.organization = Self.organization("address", "Street 1\r\n12345\tTown\rCountry")
            $0.transaction = "Pay 12.50 EUR\nto Demo GmbH"
        }
        let (_, challenge, _) = try await harness.opened()
        #expect(challenge.prompt == .approve)
        #expect(challenge.fields.contains { $0.value == "Street 1\n12345 Town\nCountry" })
    }

    @Test func `a push's text that is cut says so`() async throws {
        let harness = try await XignInHarness()
        let push = await harness.manager.push("prc-long", to: WorkedExample.activation)
            .with("title", .string(String(Self.long.prefix(121))))
            .with("message", .string(String(Self.long.prefix(501))))
        guard
            case .authentication(let message) = try await harness.phone.handle(
                push.data(harness.manager.key))
        else {
            Issue.record("It is announced.")
            return
        }
        #expect(message.title == String(repeating: "x", count: 119) + "…")
        #expect(message.message == String(repeating: "x", count: 499) + "…")
    }
}
