import PushCore

@testable import FictionalVendor

extension Scenario {
    /// All of them.
    static let all: [Scenario] =
        [yes, no, anotherMind, restarted, takenOver, onSharedStore, orphaned, resumedAtOnce]
        + [yesAndNo, twice, twoChallenges, twoChallengesMixed, wrongNumber]
        + [.wholeOnceOpen, .part, .nothing].map(keeping)

    private static let opened = [Stage(Part("app", .receive("1"), .open("1")))]
    private static let approved = Stage(Part("app", .answer("1", .approve)))
    private static let approvedAndKilled = Stage(
        Part("app", .answer("1", .approve), killedBefore: .exchange))
    private static let resumedLater = Stage(Part("extension", .resume), after: pastLease)

    /// What a process that comes by does with challenge 1, or beside it.
    private static let visits = [
        Stage(Part("visitor", .answer("1", .deny(.fraud)))),
        Stage(Part("visitor", .answer("1", .approve))),
        Stage(Part("visitor", .receive("2"), .answer("2", .deny(.unexpected)))),
        Stage(Part("visitor", .receive("1"))),
        Stage(Part("visitor", .resume)),
        Stage(Part("visitor", .resume), after: pastLease),
    ]

    // MARK: One after the other

    static let yes = Scenario(
        name: "received, opened and approved",
        stages: [Stage(Part("app", .receive("1"), .open("1"), .answer("1", .approve)))],
        visits: visits)

    static let no = Scenario(
        name: "received and denied",
        stages: [Stage(Part("app", .receive("1"), .answer("1", .deny(.unexpected))))],
        visits: visits)

    static let anotherMind = Scenario(
        name: "approved, then denied by the same process", before: opened,
        stages: [
            Stage(Part("app", .answer("1", .approve), .answer("1", .deny(.unexpected))))
        ],
        visits: visits)

    static let restarted = Scenario(
        name: "approved, and resumed under the same name", before: opened,
        stages: [approved, Stage(Part("app", .resume))], visits: visits)

    static let takenOver = Scenario(
        name: "approved, and resumed by another past the lease", before: opened,
        stages: [approved, resumedLater], visits: visits)

    static let onSharedStore = Scenario(
        name: "approved, and resumed by another on a store that machines share", isShared: true,
        before: opened,
        stages: [approved, resumedLater], visits: visits)

    static let orphaned = Scenario(
        name: "killed before the answer left, and resumed past the lease",
        before: opened + [approvedAndKilled], stages: [resumedLater], visits: visits)

    static func keeping(_ kept: Answer.Kept.Form) -> Scenario {
        Scenario(
            name: "approved, and resumed by another with this kept: \(kept)",
            options: .init(kept: kept, counts: true),
            before: opened, stages: [approved, resumedLater], visits: visits)
    }

    static let wrongNumber = Scenario(
        name: "answered with a wrong number, then with the right one", prompt: "choose",
        before: opened,
        stages: [
            Stage(Part("app", .answer("1", .choose("12")), .answer("1", .choose("34"))))
        ],
        visits: [
            Stage(Part("visitor", .answer("1", .deny(.fraud)))),
            Stage(Part("visitor", .answer("1", .choose("34")))),
            Stage(Part("visitor", .resume), after: pastLease),
        ])

    // MARK: At once

    static let yesAndNo = Scenario(
        name: "approved and denied at once", before: opened,
        stages: [
            Stage(
                Part("app", .answer("1", .approve)),
                Part("extension", .answer("1", .deny(.unexpected))))
        ])

    static let twice = Scenario(
        name: "approved twice at once", before: opened + [Stage(Part("extension", .open("1")))],
        stages: [
            Stage(
                Part("app", .answer("1", .approve)), Part("extension", .answer("1", .approve)))
        ])

    static let twoChallenges = Scenario(
        name: "two challenges answered, one within the other", before: twoOpened,
        stages: [bothAnswered(mixing: false)])

    static let twoChallengesMixed = Scenario(
        name: "two challenges answered at once", before: twoOpened,
        stages: [bothAnswered(mixing: true)], events: 1)

    private static let twoOpened =
        opened + [Stage(Part("extension", .receive("2"))), Stage(Part("app", .open("1")))]

    private static func bothAnswered(mixing mixes: Bool) -> Stage {
        Stage(
            Part("app", .answer("1", .approve)),
            Part("extension", .answer("2", .deny(.unexpected))), mixing: mixes)
    }

    static let resumedAtOnce = Scenario(
        name: "resumed by two past the lease, one within the other",
        before: opened + [approvedAndKilled],
        stages: [
            Stage(
                Part("extension", .resume), Part("widget", .resume), mixing: false,
                after: pastLease)
        ])
}
