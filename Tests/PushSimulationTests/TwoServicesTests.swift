import PushCore
import PushSimulation
import Testing

/// Two vendors on one phone, each with the device token of its own push service.
struct TwoServicesTests {
    @Test(arguments: [false, true], [false, true])
    func `killed anywhere while both tokens rotate, AM holds Apple's newest, the manager Google's`(
        after isAfter: Bool, appleFirst: Bool
    ) async throws {
        let apple = DeviceToken.apns(hex: "02", isSandbox: false)
        let google = DeviceToken.fcm("second")
        var number = 0
        while true {
            let services = try await TwoServices()
            let (held, wasKilled) = try await services.rotate(
                appleFirst ? [apple, google] : [google, apple], killedAt: number, after: isAfter)
            #expect(held == TwoServices.Held(am: apple, manager: google), "\(number)")
            guard wasKilled else { break }
            number += 1
        }
        #expect(number >= 8)
    }
}
