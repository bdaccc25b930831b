import Foundation
import HTTPTypes
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

struct EnrollmentTests {
    @Test(arguments: Phone.Kind.allCases)
    func `the documented request enrolls, once per token`(kind: Phone.Kind) async throws {
        let bench = Bench()
        let ticket = try await bench.ticket()
        let phone = try Phone(kind)
        #expect(try await bench.enroll(phone, ticket).status == 200)
        let again = try await bench.enroll(phone, ticket)
        #expect(again.status == 401)
        #expect(again.error == "unauthorized_user")
        let device = try #require(await bench.tenant.devices(of: "ada@example.com").first)
        #expect(device.deviceIdentifier == phone.identifier)
        #expect(device.deviceToken == .fcm("fcm-token-0001"))
        #expect(device.algorithm == phone.algorithm)
        #expect(device.keyID == phone.publicKey["kid"]?.string)
        #expect(await bench.tenant.devices(of: "ada@example.com").count == 1)
        #expect(await bench.tenant.devices(of: "someone else").isEmpty)
    }

    @Test(arguments: [
        (nil, "missing_token"), ("Basic abc", "invalid_authorization_scheme"),
        ("Bearer", "invalid_authorization_scheme"), ("Bearer nobody's", "unauthorized_user"),
    ])
    func `without an invitation's token nobody enrolls`(
        field: String?, error: String
    ) async throws {
        let bench = Bench()
        _ = try await bench.ticket()
        var headers: HTTPFields = [:]
        headers[.authorization] = field
        let body = JSON.object(try Phone().enrollment)
        for path in [Bench.enroll, Bench.resolve] {
            let reply = try await bench.send(.post, path, body, headers: headers)
            #expect(reply.status == 401)
            #expect(reply.error == error)
        }
    }

    @Test func `a token is for one purpose, and for a while`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let push = try await bench.login().push
        #expect(try await bench.enroll(phone, push.token).error == "invalid_audience")
        let ticket = try await bench.ticket()
        let answer = try phone.answer(["response": "accepted"])
        #expect(try await bench.answer(answer, ticket).error == "invalid_audience")
        bench.clock.advance(by: .seconds(600))
        #expect(try await bench.enroll(.another("b"), ticket).status == 401)
    }

    @Test func `only a JSON object by POST is read`() async throws {
        let bench = Bench()
        let ticket = try await bench.ticket()
        let body = JSON.object(try Phone().enrollment)
        var headers: HTTPFields = [.authorization: "Bearer \(ticket)"]
        #expect(try await bench.send(.get, Bench.enroll, body, headers: headers).status == 405)
        for odd in [JSON.array([]), "text"] {
            let reply = try await bench.send(.post, Bench.enroll, odd, headers: headers)
            #expect(reply.status == 400)
            #expect(reply.error == "invalid_request")
        }
        headers[.contentType] = "application/x-www-form-urlencoded"
        #expect(try await bench.send(.post, Bench.enroll, body, headers: headers).status == 400)
        headers[.contentType] = "Application/JSON; charset=utf-8"
        #expect(try await bench.send(.post, Bench.enroll, body, headers: headers).status == 200)
    }

    @Test(arguments: ["public_key", "private_key", "device_identifier", "credentials"])
    func `a member that is missing or of the wrong type is refused, and the token stays good`(
        member: String
    ) async throws {
        let bench = Bench()
        let ticket = try await bench.ticket()
        for value in [JSON?.none, .null, "", 1, [:]] {
            var body = try Phone().enrollment
            body[member] = value
            let reply = try await bench.enroll(body, ticket)
            #expect(reply.status == 422)
            #expect(reply.error == "invalid_entity")
        }
        #expect(try await bench.enroll(Phone(), ticket).status == 200)
    }

    @Test func `a push has to have somewhere to go`() async throws {
        let bench = Bench()
        let ticket = try await bench.ticket()
        for value in [JSON?.none, .null, "", 1] {
            var phone = try Phone()
            phone.service = value
            #expect(try await bench.enroll(phone, ticket).status == 422)
            phone = try Phone()
            phone.token = value
            #expect(try await bench.enroll(phone, ticket).status == 422)
        }
    }

    @Test(arguments: ["apns", "fcm", "gcm", "APNS"])
    func `exactly apns means Apple, and a tenant may know few services`(
        service: String
    ) async throws {
        var phone = try Phone()
        phone.service = .string(service)
        phone.token = "ab12"
        let bench = Bench()
        try await bench.enrolled(phone)
        let device = try #require(await bench.tenant.devices(of: "ada@example.com").first)
        let apple = DeviceToken.apns(hex: "ab12", isSandbox: false)
        #expect(device.deviceToken == (service == "apns" ? apple : .fcm("ab12")))
        let strict = Bench { $0.acceptedServices = ["fcm", "apns"] }
        let status = try await strict.enroll(phone, strict.ticket()).status
        #expect(status == (["fcm", "apns"].contains(service) ? 200 : 422))
    }

    @Test func `a device that enrolls again is refused, replaced or added`() async throws {
        typealias Reenrollment = PlusAuthSimulator.Configuration.Reenrollment
        let cases: [(Reenrollment, status: Int, keys: [String])] = [
            (.refused, 409, ["old"]), (.replaces, 200, ["new"]), (.adds, 200, ["old", "new"]),
        ]
        for (rule, status, keys) in cases {
            let bench = Bench { $0.reenrollment = rule }
            try await bench.enrolled(.another("old"))
            var new = try Phone.another("new")
            new.identifier = "old"
            #expect(try await bench.enroll(new, bench.ticket()).status == status)
            let devices = await bench.tenant.devices(of: "ada@example.com")
            #expect(devices.map(\.keyID) == keys)
            #expect(try await bench.enroll(new, bench.ticket("john")).status == 200)
        }
    }

    @Test func `a removed credential makes room and gets no pushes`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let device = try #require(await bench.tenant.devices(of: "ada@example.com").first)
        try await bench.tenant.removeCredential(device.id)
        #expect(await bench.tenant.devices(of: "ada@example.com").isEmpty)
        await #expect(throws: PushError.self) { try await bench.login() }
        await #expect(throws: PushError.self) {
            try await bench.tenant.removeCredential(device.id)
        }
        try await bench.enrolled(phone)
    }

    @Test(arguments: [
        ("App/1.2 (iPhone; CPU iPhone OS 17_5 like Mac OS X)", "mobile Apple iPhone iOS 17.5"),
        ("App (iPad; CPU OS 16_1_2 like Mac OS X)", "tablet Apple iPad iOS 16.1.2"),
        ("App/1.2 (Linux; Android 14; Pixel 8)", "mobile Google Pixel 8 Android 14"),
        ("A/1 (Linux; Android 13; SM-G991B Build/T)", "mobile Samsung SM-G991B Android 13"),
        ("A/1 (Linux; Android 9; Acme 1) x (y)", "mobile - Acme 1 Android 9"),
        ("App/1.2 (Linux; Android 14)", "mobile - - Android 14"),
        ("App/1.2 (X11; Linux x86_64)", "- - - Linux -"), ("curl/8.0", "- - - - -"),
        (")(", "- - - - -"),
    ])
    func `the device is what its User-Agent says`(text: String, expected: String) async throws {
        let bench = Bench()
        var phone = try Phone()
        phone.userAgent = text
        try await bench.enrolled(phone)
        let device = try #require(await bench.tenant.devices(of: "ada@example.com").first)
        #expect(device.userAgent == text)
        let model = device.model
        let parts = [model.type, model.vendor, model.model, model.osName, model.osVersion]
        #expect(parts.map { $0 ?? "-" }.joined(separator: " ") == expected)
    }
}
