import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import QRCode
import Testing

@testable import push_lab

/// What is scanned into an account that is enrolled already.
@Suite(.timeLimit(.minutes(3))) struct `pushauth scan` {
    private func offlineCode(
        _ customer: BankCustomer, operation: String = "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6"
    ) async throws -> PowerAuthSimulator.OfflineCode {
        let activation = try #require(await customer.simulator.activations(of: "jane").last)
        return try await customer.simulator.createOfflineCode(
            PowerAuthSimulator.OfflineRequest(
                operation: operation, title: "Payment", message: "Please confirm this payment",
                data: "A1*A100CZK*ICZ2730300000001165254011"), for: activation.id)
    }

    private func digits(_ result: Program.Result) throws -> String {
        #expect(result.exitCode == 0, "\(result.errors)")
        return try #require(result.json["code"]?.string)
    }

    private func approve(_ customer: BankCustomer, _ id: String) async throws -> Program.Result {
        try await customer.site.pushauth(
            "approve", id, "--yes", "--json", "--pin-env", "PIN",
            environment: ["PIN": BankCustomer.pin])
    }

    @Test func `an offline code is shown, and another process makes the digits`() async throws {
        try await BankCustomer.run { customer in
            let id = try await customer.join()
            let code = try await offlineCode(customer)
            let exchanges = await customer.simulator.exchanges.count
            let shown = try await customer.site.pushauth("scan", "-", input: code.text + "\n")
            #expect(shown.exitCode == 0, "\(shown.errors)")
            #expect(shown.output.contains("Amount: 100 CZK"), "\(shown.output)")
            let waiting = try await customer.site.waiting()
            #expect(shown.errors.contains("`pushauth approve \(waiting)`"), "\(shown.errors)")
            let again = try await customer.site.pushauth(
                "scan", "-", "--json", "--provider", "powerauth", input: code.text)
            #expect(try again.json["id"]?.string == waiting)
            #expect(try again.json["enrollment"]?.string == id)
            let made = try digits(try await approve(customer, waiting))
            // It may ask what else waits, and says nothing of this.
            #expect(
                await customer.simulator.exchanges.dropFirst(exchanges).allSatisfy {
                    !($0.request.path ?? "").contains("authorize")
                })
            #expect(
                try await customer.simulator.verifyOfflineSignature(made, of: code.id)
                    == .accepted(.possessionKnowledge))
        }
    }

    @Test func `an offline code in a picture is approved at once`() async throws {
        try #require(QRReader.isPresent)
        try await BankCustomer.run { customer in
            _ = try await customer.join()
            let code = try await offlineCode(customer)
            let picture = try customer.site.file(
                "code.pgm", QRReader.picture(of: try QRCode(fitting: code.text)))
            let result = try await customer.site.pushauth(
                "scan", "--image", picture, "--approve", "--yes", "--json", "--pin-env", "PIN",
                environment: ["PIN": BankCustomer.pin])
            let made = try digits(result)
            #expect(
                try await customer.simulator.verifyOfflineSignature(made, of: code.id)
                    == .accepted(.possessionKnowledge))
            #expect(!result.output.contains(BankCustomer.pin))
        }
    }

    @Test(arguments: [true, false])
    func `a proximity code claims its operation, and goes along with the yes`(
        isLink: Bool
    ) async throws {
        try await BankCustomer.run { customer in
            _ = try await customer.join()
            let operation = try await customer.simulator.createOperation(
                for: nil, PowerAuthBank.near)
            let link = try await customer.simulator.proximityLink(of: operation.id)
            let scanned = try await customer.site.pushauth(
                ["scan", link, "--json"] + (isLink ? ["--link"] : []))
            #expect(scanned.exitCode == 0, "\(scanned.errors)")
            let id = try #require(try scanned.json["id"]?.string)
            #expect(try await customer.simulator.operation(operation.id).user == "jane")
            let approved = try await approve(customer, id)
            #expect(approved.exitCode == 0, "\(approved.errors)")
            #expect(try approved.json["outcome"] == "approved", "\(approved.errors)")
            #expect(try await customer.simulator.status(of: operation.id) == .approved)
            let sent = await customer.simulator.exchanges.last {
                ($0.request.path ?? "").hasSuffix("/operation/authorize")
            }
            let check = try #require(
                sent.flatMap { try? JSON(parsing: $0.body) }?["requestObject"]?["proximityCheck"])
            #expect(check["type"]?.string == (isLink ? "DEEPLINK" : "QR_CODE"))
        }
    }

    @Test func `without the scan the same operation isn't approved`() async throws {
        try await BankCustomer.run { customer in
            _ = try await customer.join()
            _ = try await customer.simulator.createOperation(
                for: "jane", PowerAuthBank.near)
            let pending = try await customer.site.pushauth("pending", "--json")
            let id = try #require(try pending.json["id"]?.string)
            let result = try await approve(customer, id)
            #expect(result.exitCode == 1 && result.errors.contains("must be scanned"))
        }
    }

    @Test func `what else waits isn't answered by it`() async throws {
        try await BankCustomer.run { customer in
            _ = try await customer.join()
            let other = try await customer.simulator.createOperation(for: "jane", .payment)
            let operation = try await customer.simulator.createOperation(
                for: "jane", PowerAuthBank.near)
            let link = try await customer.simulator.proximityLink(of: operation.id)
            let result = try await customer.site.pushauth(
                "scan", link, "--approve", "--yes", "--pin-env", "PIN",
                environment: ["PIN": BankCustomer.pin])
            #expect(result.output == "approved\n", "\(result.errors)")
            #expect(try await customer.simulator.status(of: operation.id) == .approved)
            #expect(try await customer.simulator.status(of: other.id) == .waiting)
        }
    }

    @Test func `where it is for several accounts, an answer names which`() async throws {
        try await BankCustomer.run { customer in
            let ids = [try await customer.join(), try await customer.join()]
            let activation = try #require(await customer.simulator.activations(of: "jane").last)
            var request = PowerAuthSimulator.OfflineRequest(
                operation: "7", title: "Payment", message: "Please confirm", data: "A1*A100CZK")
            request.key = .master
            let code = try await customer.simulator.createOfflineCode(request, for: activation.id)
            let shown = try await customer.site.pushauth("scan", "-", "--json", input: code.text)
            let enrollments = try shown.lines.compactMap { $0["enrollment"]?.string }
            #expect(Set(enrollments) == Set(ids), "\(shown.errors)")
            let result = try await customer.site.pushauth(
                "scan", "-", "--approve", "--yes", "--pin-env", "PIN", input: code.text,
                environment: ["PIN": BankCustomer.pin])
            #expect(result.exitCode == 3 && result.output.isEmpty)
            #expect(result.errors.contains("More than one challenge"), "\(result.errors)")
        }
    }

    @Test func `what isn't genuine, or isn't for this, is refused`() async throws {
        try await BankCustomer.run { customer in
            _ = try await customer.join()
            let code = try await offlineCode(customer)
            let forged = code.text.split(separator: "A100CZK").joined(separator: "A900CZK")
            let untrusted = try await customer.site.pushauth("scan", "-", input: forged)
            #expect(untrusted.exitCode == 12 && untrusted.output.isEmpty, "\(untrusted.errors)")
            let invitation = try await customer.simulator.invitation(for: "jane").scannedText ?? ""
            let other = try await customer.site.pushauth("scan", invitation)
            #expect(other.exitCode == 1 && other.errors.contains("`pushauth enroll -`"))
            let foreign = try await customer.site.pushauth("scan", "\u{1B}[31mhello")
            #expect(foreign.exitCode == 1 && foreign.errors.contains("No configured provider"))
            #expect(!foreign.errors.contains("\u{1B}"))
            let strangers = try await customer.site.pushauth(
                "scan", "app://x?oid=\(UUID().uuidString.lowercased())&totp=12345678")
            #expect(strangers.exitCode == 8 && strangers.output.isEmpty, "\(strangers.errors)")
            #expect(try await customer.site.pushauth("pending", "--offline").output.isEmpty)
        }
    }

    @Test(arguments: [[], ["a", "--image", "b"], ["--image", "b", "--link"]])
    func `refuses what doesn't go together`(options: [String]) async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth(["scan"] + options)
            #expect(result.exitCode == 64, "\(result.errors)")
        }
    }
}
