import ArgumentParser
import Testing

@testable import PushAuthCommand

struct IntakeOptionsTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("localhost:0", "localhost", 0),
        ("[::1]:443", "::1", 443), ("9", "127.0.0.1", 9), ("0.0.0.0:65535", "0.0.0.0", 65_535),
    ])
    func `an address is a host and a port, or a port of this machine`(
        _ text: String, _ host: String, _ port: Int
    ) throws {
        let address = try #require(IntakeAddress(argument: text))
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(arguments: [
        "", ":", ":80", "host:", "host:x", "host:65536", "host:-1", "host:+1", "::1:80", "[]:80",
        "a:b:80", "127.0.0.1:٣",
    ])
    func `anything else is no address`(_ text: String) {
        #expect(IntakeAddress(argument: text) == nil)
    }

    @Test func `only names and addresses of the loopback are this machine's own`() throws {
        for host in ["127.0.0.1", "127.1.2.3", "localhost", "[::1]"] {
            #expect(try #require(IntakeAddress(argument: host + ":1")).isLoopback)
        }
        for host in ["0.0.0.0", "[::]", "127.0.0.1.example.com", "127.example", "128.0.0.1"] {
            #expect(try !#require(IntakeAddress(argument: host + ":1")).isLoopback)
        }
    }

    @Test(arguments: [
        [], ["--fcm", "0"], ["--apns", "0"], ["--http", "0"],
        ["--fcm", "0.0.0.0:0", "--credentials", "d"],
        ["--http", "0.0.0.0:0", "--credentials", "d"], ["--stdin", "--tls-cert", "c"],
        ["--poll", "4"], ["--poll", "0"], ["--poll=-5"], ["--poll", "soon"],
        ["--stdin", "--poll", "4"], ["--stdin", "--tls-key", "k"],
        ["--http", "x", "--credentials", "d"],
    ])
    func `options that don't go together are wrong usage`(_ arguments: [String]) throws {
        let error = try #require(throws: (any Error).self) {
            try ListenCommand.parse(arguments)
        }
        #expect(ListenCommand.exitCode(for: error).rawValue == 64)
    }

    @Test(arguments: [
        ["--stdin"], ["--poll", "5"], ["--stdin", "--poll", "3600"],
        ["--http", "0", "--secret-file", "s"], ["--http", "0", "--credentials", "d"],
        ["--fcm", "0", "--apns", "0", "--credentials", "d", "--stdin"],
        ["--fcm", "0.0.0.0:0", "--credentials", "d", "--tls-cert", "c", "--tls-key", "k"],
    ])
    func `options that go together are taken`(_ arguments: [String]) throws {
        _ = try ListenCommand.parse(arguments)
    }
}
