import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// The console's JSON interface, over HTTP.
@Suite(.timeLimit(.minutes(3))) struct ConsoleAPITests {
    static let vendors = ConsoleVendors.all().map(\.name)

    // MARK: What there is

    @Test func `it names the vendors, and what their logins can ask`() async throws {
        try await ConsoleDevice.run { world in
            let reply = try await world.ask(.get, "")
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == "application/json")
            let vendors = try #require(reply.json["vendors"]?.array)
            #expect(vendors.compactMap { $0["vendor"]?.string } == ExpectedVendor.names)
            #expect(vendors.first?["kinds"] == ["confirm", "number", "biometry"])
            for vendor in vendors {
                let name = vendor["vendor"]?.string ?? ""
                #expect(try await world.ask(.get, "/\(name)").json == vendor)
                let withdrawal = try ExpectedVendor.named(name).withdrawal
                #expect(vendor["cancels"]?.bool == (withdrawal != nil), "\(name)")
            }
        }
    }

    @Test func `users are added once, and listed with their devices`() async throws {
        try await ConsoleDevice.run { world in
            for status in [201, 200] {
                let reply = try await world.ask(.post, "/plusauth/users", #"{"user":"ann"}"#)
                #expect(reply.status == status)
                #expect(reply.json == ["user": "ann", "devices": []])
            }
            try await world.enroll(at: "plusauth")
            let users = try await world.ask(.get, "/plusauth/users").json["users"]?.array ?? []
            #expect(users.map { $0["user"]?.string } == ["jane", "john", "ann"])
            #expect(users.map { $0["devices"]?.array?.count } == [1, 0, 0])
            for name in ["..", "a b", "", "<b>", String(repeating: "a", count: 65)] {
                let body: JSON = ["user": .string(name)]
                let reply = try await world.ask(.post, "/plusauth/users", body.text)
                #expect(reply.status == 400 && reply.code == "wrong-member", "\(name)")
            }
        }
    }

    @Test(arguments: ConsoleAPITests.vendors)
    func `an invitation enrolls, and a login is asked about until it is over`(
        vendor: String
    ) async throws {
        try await ConsoleDevice.run { world in
            try await world.enrollByInterface(at: vendor)
            let begun = try await world.ask(
                .post, "/\(vendor)/logins", #"{"user": "jane", "kind": "confirm"}"#)
            #expect(begun.status == 201, "\(begun.text)")
            #expect(begun.json["state"] == "waiting" && begun.json["user"] == "jane")
            let place = try #require(begun.headers[.location])
            let waiting = try await world.get(place)
            #expect(try JSON(parsing: waiting.text) == begun.json)
            let push = try #require(try await world.pushes(1).first)
            _ = try await world.approve(push)
            // What the server knows is told at once.
            let over = try JSON(parsing: try await world.get(place).text)
            #expect(over["state"] == "approved" && over["id"] == begun.json["id"], "\(over)")
            let logins = try await world.ask(.get, "/\(vendor)/logins?user=jane").json
            #expect(logins == ["logins": [over]])
            let others = try await world.ask(.get, "/\(vendor)/logins?user=john").json
            #expect(others == ["logins": []])
        }
    }

    @Test func `a number that the page would show is in the login`() async throws {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: "forgerock")
            let login = try await world.ask(
                .post, "/forgerock/logins", #"{"user":"jane","kind":"number"}"#)
            let number = try #require(login.json["number"]?.string)
            #expect(number.wholeMatch(of: /[0-9]{2}/) != nil)
            let page = try await world.get("/forgerock/jane").text
            #expect(ConsoleDevice.text(of: "shown", in: page) == number)
        }
    }

    @Test(arguments: ConsoleAPITests.vendors)
    func `a login is taken back where the vendor can`(vendor: String) async throws {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: vendor)
            let login = try await world.ask(.post, "/\(vendor)/logins", #"{"user":"jane"}"#)
            let place = try #require(login.headers[.location]).replacing("/api", with: "")
            let reply = try await world.ask(.delete, place)
            if try ExpectedVendor.named(vendor).withdrawal != nil {
                #expect(reply.status == 200)
                #expect(reply.json["state"] == "failed" && reply.json["text"] == "taken back")
                #expect(try await world.ask(.get, place).json == reply.json)
                #expect(try await world.ask(.delete, place).code == "refused")
            } else {
                #expect(reply.status == 409 && reply.code == "refused")
                #expect(try await world.ask(.get, place).json["state"] == "waiting")
            }
        }
    }

    @Test func `pushes say whose they are, and why nobody took them`() async throws {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: "xignin")
            _ = try await world.logIn(at: "xignin")
            _ = try await world.page("/xignin/jane", saying: "taken by a test")
            await world.box.answer(.untaken(.unreachable, "not delivered: unreachable"))
            _ = try await world.logIn(at: "xignin")
            _ = try await world.page("/xignin/jane", saying: "id=\"push-2\" class=\"untaken\"")
            let list = try await world.ask(.get, "/xignin/pushes?user=jane").json["pushes"]
            let pushes = try #require(list?.array)
            #expect(pushes.map { $0["push"] } == [2, 1])
            #expect(pushes.map { $0["state"] } == ["untaken", "taken"])
            #expect(pushes.map { $0["reason"] } == ["unreachable", nil])
            #expect(pushes.allSatisfy { $0["user"] == "jane" && $0["time"] != nil })
            #expect(!pushes.contains { $0.text.contains(ConsoleDevice.token) })
            #expect(try await world.ask(.get, "/xignin/pushes?user=john").json == ["pushes": []])
        }
    }

    // MARK: What there isn't

    /// Method, path under `/api`, body, status, code.
    static let wrong: [(HTTPRequest.Method, String, String, Int, String)] = [
        (.get, "/acme", "", 404, "no-such-vendor"),
        (.get, "/acme/users", "", 404, "no-such-vendor"),
        (.get, "/forgerock/nothing", "", 404, "no-such-path"),
        (.get, "/forgerock/users/jane", "", 404, "no-such-path"),
        (.get, "/forgerock/logins/a/b", "", 404, "no-such-path"),
        (.get, "/forgerock//users", "", 404, "no-such-path"),
        (.get, "/forgerock/logins/none", "", 404, "no-such-login"),
        (.delete, "/xignin/logins/none", "", 404, "no-such-login"),
        (.get, "/forgerock/logins?user=nobody", "", 404, "no-such-user"),
        (.get, "/forgerock/pushes?user=", "", 404, "no-such-user"),
        (.get, "/forgerock/pushes?usr=jane", "", 400, "wrong-member"),
        (.get, "/forgerock/pushes?user=jane&user=john", "", 400, "wrong-member"),
        (.get, "/forgerock/users?user=jane", "", 400, "wrong-member"),
        (.post, "", "{}", 405, "wrong-method"), (.post, "/forgerock", "{}", 405, "wrong-method"),
        (.get, "/forgerock/invitations", "", 405, "wrong-method"),
        (.put, "/forgerock/users", "{}", 405, "wrong-method"),
        (.post, "/forgerock/logins/x", "{}", 405, "wrong-method"),
        (.delete, "/forgerock/pushes", "", 405, "wrong-method"),
        (.options, "/forgerock/users", "", 405, "wrong-method"),
        (.post, "/forgerock/users", "", 400, "no-json"),
        (.post, "/forgerock/users", "[]", 400, "no-json"),
        (.post, "/forgerock/users", "user=ann", 400, "no-json"),
        (.post, "/forgerock/users", #"{"user":"a","user":"b"}"#, 400, "no-json"),
        (.post, "/forgerock/users", "{}", 400, "wrong-member"),
        (.post, "/forgerock/users", #"{"user":1}"#, 400, "wrong-member"),
        (.post, "/forgerock/users", #"{"user":"a","x":"y"}"#, 400, "wrong-member"),
        (.post, "/forgerock/invitations", #"{"user":"nobody"}"#, 404, "no-such-user"),
        (.post, "/forgerock/logins", #"{"user":"jane","kind":"magic"}"#, 400, "wrong-member"),
        (.post, "/xignin/logins", #"{"user":"jane","kind":"number"}"#, 400, "wrong-member"),
        // A user without a device: the vendor says no.
        (.post, "/forgerock/logins", #"{"user":"jane"}"#, 409, "refused"),
        (
            .post, "/forgerock/users", #"{"user":"\#(String(repeating: "a", count: 4096))"}"#, 413,
            "too-large"
        ),
    ]

    @Test func `what is wrong has a status, a code and a sentence`() async throws {
        try await ConsoleDevice.run { world in
            for (method, path, body, status, code) in Self.wrong {
                let reply = try await world.ask(method, path, body)
                #expect(reply.status == status, "\(method) \(path) \(body.prefix(50))")
                #expect(reply.code == code, "\(method) \(path): \(reply.text)")
                #expect(reply.json["error"]?["text"]?.string?.isEmpty == false)
                #expect((reply.headers[.allow] != nil) == (status == 405))
            }
            #expect(await world.site.console.users == ["jane", "john"])
        }
    }

    @Test func `a wrong method is told which ones the path takes`() async throws {
        try await ConsoleDevice.run { world in
            for (path, allowed) in [
                ("", "GET, HEAD"), ("/forgerock/users", "GET, HEAD, POST"),
                ("/forgerock/invitations", "POST"), ("/forgerock/logins", "GET, HEAD, POST"),
                ("/forgerock/logins/x", "GET, HEAD, DELETE"), ("/forgerock/pushes", "GET, HEAD"),
            ] {
                let reply = try await world.ask(.patch, path, "{}")
                #expect(reply.status == 405 && reply.headers[.allow] == allowed, "\(path)")
            }
        }
    }

    @Test func `a head is the reply's without its body`() async throws {
        try await ConsoleDevice.run { world in
            let whole = try await world.ask(.get, "/forgerock/users")
            let head = await SlowClient.exchange(
                with: world.port,
                "HEAD /api/forgerock/users HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\n"
                    + "Connection: close\r\n\r\n")
            #expect(head?.hasPrefix("HTTP/1.1 200") == true && head?.hasSuffix("\r\n\r\n") == true)
            let length = "content-length: \(whole.text.utf8.count)\r\n"
            #expect(head?.lowercased().contains(length) == true)
        }
    }

    // MARK: Guards

    @Test(arguments: [
        "", "application/x-www-form-urlencoded", "text/plain", "application/jsonx",
        "multipart/form-data; boundary=application/json",
    ])
    func `a body of a type that another site's form can have is refused`(
        type: String
    ) async throws {
        try await ConsoleDevice.run { world in
            for (path, body) in [
                ("users", #"{"user":"mallory"}"#), ("invitations", #"{"user":"jane"}"#),
                ("logins", #"{"user":"jane"}"#),
            ] {
                let reply = try await world.fetch(
                    .post, "/api/forgerock/\(path)", body, [.contentType: type])
                #expect(reply.status == 415 && reply.code == "wrong-type", "\(reply.text)")
            }
            #expect(await !world.site.console.users.contains("mallory"))
        }
    }

    @Test func `another site, or a name of another's, gets nothing done`() async throws {
        try await ConsoleDevice.run { world in
            let origin = try #require(HTTPField.Name("Origin"))
            for method in [HTTPRequest.Method.post, .delete, .put] {
                let reply = try await world.fetch(
                    method, "/api/forgerock/users", #"{"user":"mallory"}"#,
                    [.contentType: "application/json", origin: "https://evil.example"])
                #expect(reply.status == 403 && reply.code == "forbidden")
            }
            let reply = await SlowClient.exchange(
                with: world.port,
                "GET /api/forgerock/users HTTP/1.1\r\nHost: evil.example\r\n"
                    + "Connection: close\r\n\r\n")
            #expect(reply?.hasPrefix("HTTP/1.1 403") == true)
            #expect(reply?.contains("\"code\":\"forbidden\"") == true)
            #expect(await !world.site.console.users.contains("mallory"))
            // A page of the console's own may ask, and nobody else may read.
            let own = try await world.fetch(
                .post, "/api/forgerock/users", #"{"user":"ann"}"#,
                [.contentType: "application/json; charset=utf-8", origin: world.site.origin])
            #expect(own.status == 201)
            let sharing = try #require(HTTPField.Name("Access-Control-Allow-Origin"))
            #expect(own.headers[sharing] == nil)
        }
    }
}

extension ConsoleDevice {
    /// Asks the interface, with a body as JSON where the method has one.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = ""
    ) async throws -> Reply {
        let hasBody = [.post, .put, .patch].contains(method)
        return try await fetch(
            method, "/api" + path, body, hasBody ? [.contentType: "application/json"] : [:])
    }

    /// Enrolls jane's device by an invitation of the interface.
    func enrollByInterface(at vendor: String) async throws {
        let reply = try await ask(.post, "/\(vendor)/invitations", #"{"user":"jane"}"#)
        guard reply.status == 201, reply.json["command"]?.string?.contains("pushauth") == true
        else {
            throw Browser.Failure(reply.text)
        }
        try await enroll(
            by: reply.json["text"]?.string, account: reply.json["account"]?.string ?? "",
            password: reply.json["password"]?.string ?? "", at: vendor)
    }
}

extension ConsoleDevice.Reply {
    var json: JSON { (try? JSON(parsing: text)) ?? .null }

    var code: String? { json["error"]?["code"]?.string }
}
