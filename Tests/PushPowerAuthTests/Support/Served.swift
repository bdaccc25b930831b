import PushCore
import PushPowerAuthSimulator
import Testing

/// A bank, and a customer's phone with a PIN and a finger.
struct Served {
    let bank = Bank()
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness(of: bank, customer: Customer(finger: Customer.finger))
        id = try await phone.activated(token: .fcm("phone-1"))
        await phone.customer.prefer(finger: false)
        _ = await bank.simulator.takePushes()
    }
}

/// A suite about one activation.
protocol ServedSuite {
    var served: Served { get }
}

extension ServedSuite {
    var bank: Bank { served.bank }
    var phone: PowerAuthHarness { served.phone }
    var id: Enrollment.ID { served.id }

    func isDenyOnly(_ challenge: Challenge) -> Bool {
        if case .denyOnly = challenge.prompt { true } else { false }
    }
}
