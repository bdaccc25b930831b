import Foundation
import IndependentEncodings
import PushTesting

/// A manager, and a phone that knows it not yet.
struct Joining {
    let manager: Manager
    let phone: Phone
    let secret = sha256("a secret nobody guesses".utf8)

    init() throws {
        manager = Manager(time: ManualClock(Date(WorkedExample.personalized)))
        phone = try Phone([manager])
    }
}

/// A suite about joining a manager.
protocol JoiningSuite {
    var joining: Joining { get }
}

extension JoiningSuite {
    var manager: Manager { joining.manager }
    var phone: Phone { joining.phone }
    var secret: [UInt8] { joining.secret }

    func link() async -> String { await manager.link(secret: secret) }
}
