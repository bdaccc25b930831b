import Foundation
import PushCore
import Testing

@testable import push_lab

/// A person at a login page in a real browser, and a device in another process.
@Suite(.serialized, .enabled(if: Browser.isPresent), .timeLimit(.minutes(3)))
struct ConsoleLoginTests {
    /// XignIn pushes by Firebase alone, and privacyIDEA unless an app is told otherwise.
    static let ways = ConsoleVendors.all().flatMap { vendor in
        let isFirebaseAlone = ["xignin", "privacyidea"].contains(vendor.name)
        return (isFirebaseAlone ? ["fcm"] : ["fcm", "apns"]).map { (vendor.name, $0) }
    }

    @Test(arguments: ConsoleLoginTests.ways)
    func `a login in the browser is approved by a device that listens`(
        vendor: String, intake: String
    ) async throws {
        let world = try await ConsoleHarness.start(intake: intake, action: "approve")
        do {
            try await world.enroll(at: vendor)
            let kind = vendor == "forgerock" || vendor == "plusauth" ? "number" : "confirm"
            try await world.logIn(by: kind, until: "approved")
            let answer = try await world.listening.event("answered")
            #expect(answer["rule"]?.string == "test")
            #expect(answer["answer"]?["outcome"]?.string == "approved")
            try await world.browser.keepScreenshot(as: "\(vendor)-\(intake)-approved")
        } catch {
            try? await world.browser.keepScreenshot(as: "\(vendor)-\(intake)-failed")
            await world.close()
            throw error
        }
        await world.close()
    }

    @Test(arguments: ConsoleLoginTests.ways)
    func `a login in the browser is denied by a device that listens`(
        vendor: String, intake: String
    ) async throws {
        let world = try await ConsoleHarness.start(intake: intake, action: "deny")
        do {
            try await world.enroll(at: vendor)
            try await world.logIn(by: "confirm", until: "denied")
            let answer = try await world.listening.event("answered")
            #expect(answer["answer"]?["outcome"]?.string == "denied")
            try await world.browser.keepScreenshot(as: "\(vendor)-\(intake)-denied")
        } catch {
            try? await world.browser.keepScreenshot(as: "\(vendor)-\(intake)-failed")
            await world.close()
            throw error
        }
        await world.close()
    }
}
