import Testing

@testable import PushAuthCommand

struct `which process of a fleet asks for which devices` {
    private static let members = ["a", "b", "c", "d"]

    @Test func `each shard has one owner, and all have about as many`() {
        var owners: [UInt8: [String]] = [:]
        for member in Self.members {
            for shard in Shards.owned(by: member, among: Self.members) {
                owners[shard, default: []].append(member)
            }
        }
        #expect(owners.count == 256 && owners.values.allSatisfy { $0.count == 1 })
        for member in Self.members {
            let count = owners.values.count { $0 == [member] }
            #expect((40...90).contains(count), "\(member): \(count)")
        }
    }

    @Test func `when one goes, the others keep what they have, and share its part`() {
        let rest = Array(Self.members.dropLast())
        var taken = 0
        for member in rest {
            let before = Set(Shards.owned(by: member, among: Self.members))
            let after = Set(Shards.owned(by: member, among: rest.shuffled()))
            #expect(after.isSuperset(of: before))
            taken += after.count - before.count
        }
        #expect(taken == Shards.owned(by: "d", among: Self.members).count)
    }

    @Test func `one alone has all`() {
        #expect(Shards.owned(by: "a", among: ["a"]).count == 256)
    }
}
