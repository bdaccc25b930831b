import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Where pushes go, and how they look.
struct PushTests {
    typealias Names = PowerAuthSimulator.PlatformNames

    private let bench = Bench()
    private let payment = PowerAuthSimulator.OperationTemplate.payment

    /// A device token of Apple's.
    private static func token(_ byte: String) -> String { String(repeating: byte, count: 32) }

    private func push() async throws -> JSON? {
        let pushes = await bench.server.takePushes()
        #expect(pushes.count == 1)
        return try pushes.first.map { try JSON(parsing: $0.payload) }
    }

    // MARK: Registration

    @Test(
        arguments: [
            (Names.current, "apns", true), (.current, "ios", true), (.current, "fcm", true),
            (.current, "android", true), (.current, "aps", false), (.before110, "apns", false),
            (.before110, "fcm", false), (.before110, "ios", true), (.before110, "android", true),
            (.newOnly, "apns", true), (.newOnly, "ios", false), (.newOnly, "android", false),
        ])
    func `each release takes its names`(names: Names, name: String, isTaken: Bool) async throws {
        await bench.server.configure { $0.platforms = names }
        let phone = try await bench.tokened()
        let reply = try await bench.register(
            phone, ["platform": .string(name), "token": .string(Self.token("00"))])
        #expect(reply.status == (isTaken ? 200 : 400))
        #expect(reply.code == (isTaken ? nil : "INVALID_REQUEST"))
        let record = try await bench.record(phone)
        #expect(record.registeredPlatform == (isTaken ? name : nil))
        let isApple = ["apns", "ios"].contains(name)
        let token: DeviceToken =
            isApple ? .apns(hex: Self.token("00"), isSandbox: false) : .fcm(Self.token("00"))
        #expect(record.deviceToken == (isTaken ? token : nil))
    }

    @Test func `an environment chooses APNs' service`() async throws {
        let phone = try await bench.tokened()
        for (environment, isSandbox) in [("development", true), ("production", false)] {
            _ = try await bench.register(
                phone,
                [
                    "platform": "apns", "token": .string(Self.token("AB")),
                    "environment": .string(environment),
                ])
            #expect(
                try await bench.record(phone).deviceToken
                    == .apns(hex: Self.token("AB"), isSandbox: isSandbox))
        }
        await bench.server.configure { $0.isSandboxByDefault = true }
        _ = try await bench.register(
            phone, ["platform": "apns", "token": .string(Self.token("CD"))])
        #expect(
            try await bench.record(phone).deviceToken
                == .apns(hex: Self.token("CD"), isSandbox: true))
        for object in [
            [
                "platform": "apns", "token": .string(Self.token("AB")), "environment": "test",
            ], ["platform": "apns"],
            ["platform": "apns", "token": ""], [:],
        ] as [JSON] {
            #expect(try await bench.register(phone, object).code == "INVALID_REQUEST")
        }
        for odd in [
            "XYZ", "AB", Self.token("XY"), Self.token("AB") + "AB",
            String(Self.token("AB").dropLast()),
        ] {
            let reply = try await bench.register(
                phone, ["platform": "apns", "token": .string(odd)])
            #expect(reply.code == "PUSH_REGISTRATION_FAILED", "\(odd)")
        }
    }

    @Test func `the older path takes a token, too`() async throws {
        let phone = try await bench.tokened()
        let object: JSON = ["platform": "fcm", "token": "f"]
        #expect(
            try await bench.read(phone, "/api/push/device/register", object).status == 200)
        #expect(try await bench.record(phone).deviceToken == .fcm("f"))
        #expect(
            try await bench.post(
                "/api/push/device/register/token", ["requestObject": object]
            ).code == "POWERAUTH_AUTH_FAIL")
    }

    // MARK: Shapes

    @Test func `an APNs push has its extras beside aps`() async throws {
        let phone = try await bench.reachable()
        let id = try await bench.server.createOperation(for: "ada", payment).id
        let payload = try await push()
        #expect(
            payload == [
                "aps": [
                    "alert": [
                        "title": "Confirm payment", "body": "Please confirm this payment",
                    ], "sound": "default",
                ],
                "messageType": "mtoken.operationInit", "operationId": .string(id),
                "operationName": "authorize_payment", "activationId": .string(phone.id),
            ])
    }

    @Test(arguments: [
        PowerAuthSimulator.FirebaseShape.data, .dataOnly, .appleTwice, .appleInside,
    ])
    func `a Firebase push has the shape that was chosen`(
        shape: PowerAuthSimulator.FirebaseShape
    ) async throws {
        await bench.server.configure { $0.firebase = shape }
        let phone = try await bench.tokened()
        _ = try await bench.register(phone, ["platform": "fcm", "token": "f"])
        let id = try await bench.server.createOperation(for: "ada", payment).id
        let payload = try #require(try await push())
        let beside = payload["operationId"]?.string
        let inside = payload["aps"]?["operationId"]?.string
        #expect(beside == (shape == .appleInside ? nil : id))
        #expect(inside == (shape == .appleInside || shape == .appleTwice ? id : nil))
        #expect((payload["_notification"] != nil) == (shape == .dataOnly))
        if let text = payload["_notification"]?.string {
            #expect(try JSON(parsing: text)["title"] == "Confirm payment")
        }
        if shape == .data {
            #expect(payload.object?.members.allSatisfy { $0.value.string != nil } == true)
        }
    }

    @Test func `all of a user's registered devices are told, nobody else's`() async throws {
        _ = try await bench.reachable("ada", token: Self.token("01"))
        _ = try await bench.reachable("ada", token: Self.token("02"))
        _ = try await bench.reachable("eve", token: Self.token("03"))
        _ = try await bench.tokened("ada")
        let blocked = try await bench.reachable("ada", token: Self.token("04"))
        try await bench.server.block(blocked.id)
        _ = await bench.server.takePushes()
        _ = try await bench.server.createOperation(for: "ada", payment)
        #expect(
            await bench.server.takePushes().map(\.deviceToken) == [
                .apns(hex: Self.token("01"), isSandbox: false),
                .apns(hex: Self.token("02"), isSandbox: false),
            ])
    }

    @Test func `each end of an operation is announced with its result`() async throws {
        let phone = try await bench.reachable()
        let server = bench.server
        func result(_ end: (String) async throws -> Void) async throws -> String? {
            let id = try await server.createOperation(for: "ada", payment).id
            _ = await server.takePushes()
            try await end(id)
            let payload = try await push()
            #expect(payload?["messageType"] == "mtoken.operationFinished")
            #expect(payload?["operationId"]?.string == id)
            #expect(payload?["aps"] == ["content-available": 1])
            return payload?["mtokenOperationResult"]?.string
        }
        #expect(
            try await result { _ = try await bench.authorize(phone, $0, data: payment.data) }
                == "authentication.success")
        #expect(
            try await result { try await server.approveElsewhere($0) }
                == "authentication.success")
        #expect(
            try await result { id in
                for _ in 1...5 { _ = try await bench.authorize(phone, id, data: "") }
            } == "authentication.fail")
        #expect(
            try await result { try await server.expireOperation($0) } == "operation.timeout")
        #expect(
            try await result { _ in bench.clock.advance(by: .seconds(300)) }
                == "operation.timeout")
        #expect(
            try await result { _ = try await bench.cancel(phone, $0) } == "operation.canceled")
        #expect(
            try await result { try await server.cancelOperation($0) } == "operation.canceled")
        #expect(
            try await result {
                try await server.failOperation($0, announcing: .methodNotAvailable)
            } == "operation.methodNotAvailable")
    }

    @Test func `each change of state is announced`() async throws {
        let phone = try await bench.reachable()
        let server = bench.server
        let expected: JSON = [
            "aps": ["content-available": 1], "messageType": "mtoken.statusChange",
            "activationId": .string(phone.id),
        ]
        try await server.block(phone.id)
        #expect(try await push() == expected)
        try await server.unblock(phone.id)
        #expect(try await push() == expected)
        for _ in 1...5 {
            _ = try await bench.validate(phone, "possession_biometry", .init(wrong: "biometry"))
        }
        #expect(try await push() == expected)
        try await server.remove(phone.id)
        #expect(try await push() == expected)
        _ = try await server.createOperation(for: "ada", payment)
        #expect(await server.takePushes().isEmpty)
    }

    @Test func `spoiled pushes are spoiled as asked`() async throws {
        _ = try await bench.reachable()
        let server = bench.server
        func payloads(_ fault: PowerAuthSimulator.BadPush) async throws -> [JSON] {
            _ = try await server.createOperation(for: "ada", payment, spoiledBy: fault)
            return try await server.takePushes().map { try JSON(parsing: $0.payload) }
        }
        let missing = try await payloads(.missing(extra: "operationName"))
        #expect(missing.count == 1 && missing[0]["operationName"] == nil)
        let replaced = try await payloads(.replaced(extra: "operationId", value: 5))
        #expect(replaced.map { $0["operationId"] } == [5])
        let repeated = try await payloads(.repeated)
        #expect(repeated.count == 2 && repeated[0] == repeated[1])
        let early = try await payloads(.withdrawnFirst)
        #expect(
            early.map { $0["messageType"] } == [
                "mtoken.operationFinished", "mtoken.operationInit",
            ])
        #expect(try await payloads(.lost).isEmpty)
        await server.configure { $0.namesActivation = false }
        let unnamed = try await payloads(.replaced(extra: "x", value: nil))
        #expect(unnamed[0]["activationId"] == nil)
        #expect(unnamed[0]["x"] == .null)
    }
}
