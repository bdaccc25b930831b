import PushCore

@testable import FictionalVendor

extension AcmeRun {
    /// Compares what the app is told with what the server knows.
    func compare(_ outcome: Outcome, of choice: String, on name: String) {
        guard let challenge = server.challenge(name),
            let index = server.index(of: challenge.enrollment)
        else { return }
        let isTaken = challenge.state == .taken(choice)
        switch outcome {
        case .delivered where !isTaken:
            violate(.trueWords, "\(name): \(choice) is said to be delivered, and isn't")
        case .delivered, .unknown, .verifyAgain: return
        case .notTaken(let refusal) where refusal.mayRetry: return
        case .notTaken, .expired, .answeredElsewhere, .cancelled, .code, .ended:
            // A copy made by the network, or a server that no longer knows the device, says no to
            // what was taken.
            if isTaken, !server.copied.contains(name), !server.enrolled[index].isRemoved {
                violate(.trueWords, "\(name): \(choice) was taken, and is said to be \(outcome)")
            }
        }
    }

    func enroll(_ index: Int) {
        names += 1
        let code = "code\(names)"
        server.codes.insert(code)
        let account = draw.pick(["ada", "bob", "cyd"])
        let provider = draw.pick(vendors).id
        call(index, "enroll \(account)") { authenticator throws(PushError) in
            let text = "acme:\(account):\(code)"
            let offers = try authenticator.offers(for: .scanned(text: text))
            guard let offer = offers.first(where: { $0.provider == provider }) else {
                return "no offer"
            }
            let enrollment = try await authenticator.enroll(offer)
            return "\(enrollment.id.name) \(enrollment.state)"
        }
    }

    func refresh(_ index: Int, _ enrollment: Enrollment.ID) {
        call(index, "refresh \(enrollment.name)") { authenticator throws(PushError) in
            "\(try await authenticator.refresh(enrollment).state)"
        }
    }

    func remove(_ index: Int, _ enrollment: Enrollment.ID) {
        let life = processes[index].life
        call(index, "remove \(enrollment.name)") { [self] authenticator throws(PushError) in
            try await authenticator.remove(enrollment)
            if life.isAlive { removed.insert(enrollment) }
            return "done"
        }
    }
}
