import Foundation
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// What a person reads of challenges that have no titles or labels.
@Suite(.timeLimit(.minutes(3))) struct `a challenge without labels` {
    @Test func `shows its text as the headline, and no colon without a label`() async throws {
        try await PushAuthSite.run(atVendor: "onespan") { site, vendor in
            _ = try await site.join(vendor)
            _ = await vendor.simulator.takePushes()
            _ = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            let pushes = await vendor.simulator.takePushes()
                .map { String(decoding: $0.payload, as: UTF8.self) + "\n" }
            let listening = try await site.pushauth(
                "listen", "--stdin", input: pushes.joined())
            let id = try await site.waiting()
            let shown = try await site.pushauth("show", id)
            let pending = try await site.pushauth("pending", "--offline")
            for output in [listening.output, shown.output] {
                #expect(output.contains("\(id)  open  onespan  Sign in to"), "\(output)")
                // Once, as all that is shown.
                #expect(output.components(separatedBy: "Sign in to").count == 2)
            }
            for output in [listening.output, shown.output, pending.output] {
                let lines = output.split(separator: "\n")
                #expect(lines.contains { $0.contains(id) })
                for line in lines {
                    #expect(!line.hasSuffix(" ") && !line.contains(" : "), "\(line)")
                }
            }
        }
    }
}
