import Foundation
import PushCore
import Testing

/// What must be on a screen before a yes.
struct ShownTests {
    private func shown(
        title: String? = nil, body: String? = nil, _ content: Challenge.Content = .init()
    ) -> [[String]] {
        let notice = Notice(
            id: Challenge.ID("1", of: Enrollment.ID("ada", of: "acme")), title: title, body: body,
            proof: .mac)
        let challenge = Challenge(for: notice, prompt: .approve, content: content)
        return challenge.shown.map { [$0.label, $0.value] }
    }

    @Test func `the words, the fields and the origin are shown, in this order`() {
        let origin = Challenge.Origin(
            address: "192.0.2.7", place: Challenge.Place(latitude: 48.1374, longitude: -11.5),
            agent: "Mozilla/5.0", application: "Shop")
        let content = Challenge.Content(fields: [.init("Amount", "5 EUR")], origin: origin)
        #expect(
            shown(title: "Pay", body: "To Bob", content) == [
                ["", "Pay"], ["", "To Bob"], ["Amount", "5 EUR"], ["Application", "Shop"],
                ["IP address", "192.0.2.7"], ["User agent", "Mozilla/5.0"],
                ["Place", "48.1374, -11.5"],
            ])
    }

    @Test func `what isn't said isn't shown, and what a field says isn't said twice`() {
        #expect(shown().isEmpty)
        #expect(shown(title: "", body: "Log in?") == [["", "Log in?"]])
        let content = Challenge.Content(
            fields: [.init("Pay", "To Bob")], origin: .init(application: "Shop"))
        #expect(
            shown(title: "Pay", body: "To Bob", content) == [
                ["Pay", "To Bob"], ["Application", "Shop"],
            ])
        #expect(
            shown(title: "Shop", body: "Berlin", content).prefix(2) == [
                ["", "Berlin"], ["Pay", "To Bob"],
            ])
    }
}
