import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Requests that a script sends with headers of `pushauth sign`: the bank's server judges them.
@Suite(.timeLimit(.minutes(3))) struct `pushauth sign` {
    private static let payment = #"{"to":"CZ6508000000192000145399","amount":"100.00"}"#

    private func counted(_ bank: PowerAuthSimulator) async throws -> Int {
        try #require(await bank.activations(of: "jane").last?.failedAttempts)
    }

    @Test(arguments: ["3.1", "3.2", "3.3"])
    func `makes the headers of a request, in the version that the section has`(
        version: String
    ) async throws {
        try await BankCustomer.run("version = \"\(version)\"") { customer in
            _ = try await customer.join()
            let body = try customer.site.file("payment.json", Self.payment)
            let signed = try await customer.sign(
                "--resource", "/secured/payment", "--factors", "possession_knowledge",
                "--body", body, "--pin-env", "PIN")
            #expect(signed.exitCode == 0, "\(signed.errors)")
            #expect(signed.output.contains("pa_version=\"\(version)\""), "\(signed.output)")
            #expect(!signed.output.contains(BankCustomer.pin))
            let data = ["--data-binary", "@" + body]
            #expect(try await customer.send(signed, to: "/secured/payment", data) == "200")
            let seen = await customer.simulator.resourceRequests
            #expect(seen.map(\.body) == [Data(Self.payment.utf8)])
            #expect(seen.map(\.type) == [.possessionKnowledge])
            // The same once more isn't taken.
            #expect(try await customer.send(signed, to: "/secured/payment", data) == "401")
            #expect(await customer.simulator.resourceRequests.count == 1)
        }
    }

    @Test func `signs what standard input has, a GET's query, and other methods`() async throws {
        try await BankCustomer.run { customer in
            _ = try await customer.join()
            // A byte order mark is a part of a body.
            let text = "\u{FEFF}line\n\nend\n"
            let piped = try await customer.sign(
                "--resource", "/any", "--factors", "possession", "--body", "-",
                input: text)
            let body = try customer.site.file("body", text)
            #expect(
                try await customer.send(piped, to: "/any", ["--data-binary", "@" + body]) == "200")
            let query = "page=2&note=%C5%BE+%C3%B3&empty="
            let read = try await customer.sign(
                "--method", "GET", "--resource", "/secured/accounts", "--query", query,
                "--factors", "possession")
            #expect(try await customer.send(read, to: "/secured/accounts?" + query) == "200")
            let removal = try await customer.sign(
                "--method", "DELETE", "--resource", "/secured/account/7", "--pin-env", "PIN",
                "--factors", "possession_knowledge")
            let delete = ["--request", "DELETE"]
            #expect(try await customer.send(removal, to: "/secured/account/7", delete) == "200")
            #expect(
                await customer.simulator.resourceRequests.map(\.method.rawValue)
                    == ["POST", "GET", "DELETE"])
        }
    }

    @Test(arguments: PowerAuthSimulator.SignatureType.allCases)
    func `signs with each combination of factors`(
        type: PowerAuthSimulator.SignatureType
    ) async throws {
        try await BankCustomer.run { customer in
            _ = try await customer.join(
                "--biometry-env", "FINGER", environment: ["FINGER": BankCustomer.finger])
            let signed = try await customer.sign(
                "--resource", "/any", "--factors", type.rawValue, "--pin-env", "PIN",
                "--biometry-env", "FINGER")
            #expect(try await customer.send(signed, to: "/any", ["--data", ""]) == "200")
            #expect(await customer.simulator.resourceRequests.map(\.type) == [type])
        }
    }

    @Test func `a wrong PIN is the server's to notice, and the next right one is taken`()
        async throws
    {
        try await BankCustomer.run { customer in
            _ = try await customer.join()
            for (pin, status) in [("1111", "401"), (BankCustomer.pin, "200")] {
                let signed = try await customer.sign(
                    "--resource", "/secured/payment", "--factors", "possession_knowledge",
                    "--pin-env", "PIN", pin: pin)
                #expect(signed.exitCode == 0, "\(signed.errors)")
                #expect(
                    try await customer.send(signed, to: "/secured/payment", ["--data", ""])
                        == status)
                #expect(try await counted(customer.simulator) == (status == "200" ? 0 : 1))
            }
        }
    }

    @Test func `a signature is for its body, its method and its resource alone`() async throws {
        try await BankCustomer.run { customer in
            _ = try await customer.join()
            let bad: [(String, [String])] = [
                ("/secured/payment", ["--data", "more"]),
                ("/secured/account/7", ["--request", "PUT", "--data", ""]),
                ("/any", ["--data", ""]),
            ]
            for (path, options) in bad {
                let signed = try await customer.sign(
                    "--resource", "/secured/payment", "--factors", "possession_knowledge",
                    "--pin-env", "PIN")
                #expect(try await customer.send(signed, to: path, options) == "401")
            }
            #expect(try await counted(customer.simulator) == 3)
            #expect(await customer.simulator.resourceRequests.isEmpty)
        }
    }

    @Test func `JSON has the headers, and whose they are`() async throws {
        try await BankCustomer.run { customer in
            let id = try await customer.join()
            let json = try await customer.sign(
                "--resource", "/any", "--factors", "possession", "--json"
            ).json
            #expect(json["enrollment"]?.string == id && json["provider"] == "powerauth")
            let headers = try #require(json["headers"]?.object)
            #expect(headers.members.map(\.name) == ["X-PowerAuth-Authorization"])
            #expect(
                headers["X-PowerAuth-Authorization"]?.string?.hasPrefix("PowerAuth pa_") == true)
        }
    }

    @Test func `says what it lacks, and no counter moves`() async throws {
        try await BankCustomer.run { customer in
            _ = try await customer.join()
            let before = try #require(
                await customer.simulator.activations(of: "jane").last?.counter)
            let usual = ["--resource", "/any", "--factors"]
            let bad: [([String], Int32, String)] = [
                (usual + ["fingers"], 64, "possession_knowledge"),
                (usual + ["possession_knowledge"], 6, "--pin-fd or --pin-env"),
                (usual + ["possession_biometry", "--vouch"], 6, "biometry unlocks"),
                (usual + ["possession", "--body", "/nonexistent"], 1, "/nonexistent"),
                (
                    [
                        "--method", "GET", "--query", "note=50%25", "--resource", "/any",
                        "--factors", "possession",
                    ], 1, "decodes a query twice"
                ),
                (["--resource", "/x/${id}", "--factors", "possession"], 1, "filled in"),
            ]
            for (options, code, words) in bad {
                let result = try await customer.site.pushauth(
                    ["sign", "--provider", "powerauth"] + options)
                #expect(result.exitCode == code && result.output.isEmpty, "\(options)")
                #expect(result.errors.contains(words), "\(result.errors)")
            }
            let signed = try await customer.sign("--resource", "/any", "--factors", "possession")
            #expect(try await customer.send(signed, to: "/any", ["--data", ""]) == "200")
            let after = await customer.simulator.activations(of: "jane").last?.counter
            #expect(after == before + 1)
        }
    }

    @Test func `a vendor without such signatures says so`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let result = try await site.pushauth(
                "sign", "--user", "jane", "--resource", "/x", "--factors", "possession")
            #expect(result.exitCode == 1 && result.output.isEmpty)
            #expect(result.errors.contains("forgerock signs no requests"), "\(result.errors)")
        }
    }

    @Test(arguments: [
        ["--method", "HEAD"], ["--method", "GET", "--body", "-"], ["--query", "a=b"],
        ["--body", "-", "--pin-fd", "0"], ["--biometry-fd", "0", "--pin-fd", "0"],
    ])
    func `refuses what doesn't go together`(options: [String]) async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth(
                ["sign", "ab", "--resource", "/x", "--factors", "possession"] + options)
            #expect(result.exitCode == 64, "\(result.errors)")
        }
    }
}
