import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What the hundredth activation costs that the tenth didn't: nothing.
@Suite struct EnrollingCostTests {
    @Test(.timeLimit(.minutes(5)))
    func `personalizing at a manager reads as much of the store at ten managers as at two hundred`()
        async throws
    {
        let time = ManualClock(Date(WorkedExample.personalized))
        let managers = (0..<200).map {
            Manager("idm-\($0)", host: "idm-\($0).xignin.example", time: time)
        }
        let phone = try Phone(managers)
        var costs: [Int: Hoard.Cost] = [:]
        for (number, manager) in managers.enumerated() {
            let before = await phone.store.cost
            #expect(try await phone.enroll(await manager.link(), token: nil).state == .active)
            costs[number + 1] = await phone.store.cost - before
        }
        let cost = try #require(costs[10])
        #expect(costs[200] == cost)
        #expect(cost.listings == 0)
        #expect(cost.reads > 0)
        #expect(cost.reads < 12)
    }
}
