import Foundation
import PushCore
import Testing

@testable import push_lab

/// What is set up wrong gets a sentence that says what to do, and nothing looks empty.
@Suite(.serialized, .timeLimit(.minutes(4))) struct `a shared store that is set up wrong` {
    @Test func `is told from one that is empty`() async throws {
        try await PushAuthSite.run { site in
            let etcd = try await EtcdServer.start(in: site.directory)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            let early = try await fleet.pushauth("list")
            #expect(early.exitCode == 5 && early.errors.contains("no store of the tenant 'acme'"))
            try await fleet.found("one")
            let again = try await fleet.pushauth("fleet", "init", "--public-url", "http://a")
            #expect(again.exitCode == 1 && again.errors.contains("two fleets in one scope"))
            let twice = try await fleet.pushauth("device", "add", "one")
            #expect(twice.exitCode == 1 && twice.errors.contains("a device 'one' already"))

            let misspelt = try await site.pushauth([
                "list", "--store", etcd.place + "/acne", "--key-file", fleet.keyFile,
            ])
            #expect(misspelt.exitCode == 5)
            #expect(misspelt.errors.contains("Look whether the tenant is right"))
            let keyless = try await site.pushauth(["list", "--store", fleet.store])
            #expect(keyless.exitCode == 5 && keyless.errors.contains("--key-file FILE"))
            let otherKey = try site.file("other.key", String(repeating: "6b", count: 32))
            chmod(otherKey, 0o600)
            let other = try await site.pushauth([
                "list", "--store", fleet.store, "--key-file", otherKey,
            ])
            #expect(other.exitCode == 5, "\(other.errors)")
            #expect(other.errors.contains("key"), "\(other.errors)")
            #expect(try await fleet.pushauth("list").errors == "1 device, 0 enrollments.\n")
            let unnamed = try await fleet.pushauth("enroll", "pushauth://x", "--yes")
            #expect(unnamed.exitCode == 3 && unnamed.errors.contains("--device"))

            await etcd.kill()
            let stopped = try await fleet.pushauth("list")
            #expect(stopped.exitCode == 5)
            #expect(stopped.errors.contains("No member of etcd answered"), "\(stopped.errors)")
            let doctor = try await fleet.pushauth("doctor", "--offline", "--json")
            #expect(doctor.exitCode == 1)
            #expect(try doctor.lines.first { $0["check"] == "member" }?["status"] == "warning")
            #expect(try doctor.lines.first { $0["check"] == "store" }?["status"] == "problem")
        }
    }

    @Test(arguments: [
        ("redis://h/acme", "no store of the kind 'redis'"),
        ("etcd://h:2379", "names no tenant"), ("etcd://h/a/b", "names no tenant"),
        ("etcd:///acme", "needs the URL of a member"),
        ("etcd://jane:s3cret@h/acme", "password doesn't belong"),
        ("postgres://h/db", "lacks the database, or the tenant"),
        ("postgres://h/?tenant=a", "lacks the database, or the tenant"),
        ("postgres://r@h/db?tenant=a&password=s3cret", "password doesn't belong"),
        ("etcd+http://192.0.2.1/acme", "refuses plain HTTP"),
    ])
    func `a URL that can't be one is refused at once`(url: String, words: String) async throws {
        try await PushAuthSite.run { site in
            let fleet = try await FleetSite(site, at: url)
            let result = try await fleet.pushauth("list")
            #expect(result.exitCode == 5, "\(result.errors)")
            #expect(result.errors.contains(words), "\(result.errors)")
            #expect(!result.errors.contains("s3cret"))
        }
    }

    @Test func `certificates, user and password come from the configuration and a file`()
        async throws
    {
        try await PushAuthSite.run { site in
            let certificates = try await EtcdServer.Certificates(in: site.directory)
            let etcd = try await EtcdServer.start(in: site.directory, with: certificates)
            try await etcd.enableAuthentication(for: "acme")
            let password = try site.file("password", "s3cret word\n")
            chmod(password, 0o600)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            func configure(_ lines: String..., tenant: String = "acme") throws {
                try site.configure(
                    "[store]\nurl = \"\(etcd.place)/\(tenant)\"\n"
                        + lines.map { $0 + "\n" }.joined())
            }
            let authority = "authorities = \"\(certificates.path("ca.pem"))\""
            let pair =
                "certificate = \"\(certificates.path("client.pem"))\"\n"
                + "key = \"\(certificates.path("client.key"))\""
            let user = "user = \"pushauth\"\npassword-file = \"\(password)\""
            func run(_ arguments: String...) async throws -> Program.Result {
                let result = try await site.pushauth(arguments + ["--key-file", fleet.keyFile])
                #expect(!(result.errors + result.output).contains("s3cret"))
                return result
            }
            try configure(authority, pair, user)
            let made = try await run("fleet", "init", "--public-url", "https://push.example")
            try #require(made.exitCode == 0, "\(made.errors)")
            #expect(try await run("device", "add", "one").exitCode == 0)
            #expect(try await run("list").errors == "1 device, 0 enrollments.\n")

            try configure(pair, user)
            let untrusted = try await run("list")
            #expect(untrusted.exitCode == 5)
            #expect(untrusted.errors.contains("The certificate of"), "\(untrusted.errors)")
            try configure(authority, user)
            let bare = try await run("list")
            #expect(bare.exitCode == 5 && bare.errors.contains("certificate"), "\(bare.errors)")
            try configure(authority, pair)
            let nobody = try await run("list")
            #expect(nobody.exitCode == 5 && nobody.errors.contains("user"), "\(nobody.errors)")
            try configure(authority, pair, "user = \"pushauth\"")
            let wordless = try await run("list")
            #expect(wordless.errors.contains("no password for etcd's user"), "\(wordless.errors)")
            let variable = try await site.pushauth(
                ["list", "--key-file", fleet.keyFile],
                environment: ["PUSHAUTH_STORE_PASSWORD": "s3cret word"])
            #expect(variable.exitCode == 0, "\(variable.errors)")
            try configure(authority, pair, user, tenant: "other")
            let foreign = try await run("list")
            #expect(foreign.exitCode == 5 && foreign.errors.contains("role"), "\(foreign.errors)")
            chmod(password, 0o644)
            try configure(authority, pair, user)
            let open = try await run("list")
            #expect(open.exitCode == 5 && open.errors.contains("chmod 600"), "\(open.errors)")
        }
    }

    @Test func `doctor warns of a member that is nearly full`() async throws {
        try await PushAuthSite.run { site in
            let etcd = try await EtcdServer.start(in: site.directory, quota: 200_000)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            try await fleet.found()
            for number in 0..<40 {
                try await etcd.control(
                    "put", "filler\(number)", String(repeating: "x", count: 4000))
            }
            let doctor = try await fleet.pushauth("doctor", "--offline", "--json")
            let member = try doctor.lines.first { $0["check"] == "member" }
            #expect(member?["status"] == "warning", "\(doctor.output)")
            #expect(member?["text"]?.string?.contains("of its quota") == true)
            #expect(member?["next"]?.string?.contains("compact") == true)
        }
    }
}
