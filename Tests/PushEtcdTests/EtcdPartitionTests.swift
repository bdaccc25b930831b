import ExternalTool
import Foundation
import PushCore
import PushTesting
import StoreTrials
import Testing

/// Three networks of their own, one for each member, joined by a bridge.
private final class Networks: Sendable {
    /// Another one for each run, as one that was killed leaves its networks behind.
    static let prefix = "10.231.\(UInt8.random(in: 1...250))"
    private let tag = String(UInt16.random(in: 0...0xFFF), radix: 16)

    init?() {
        guard setUp() else { return nil }
    }

    deinit { tearDown() }

    var hosts: [String] { (1...3).map { "\(Self.prefix).\($0)" } }

    func name(_ member: Int) -> String { "pa\(tag)n\(member)" }

    func cut(_ cut: Cut, _ member: Int) { routes("add", cut, member) }

    func mend(_ cut: Cut, _ member: Int) { routes("del", cut, member) }

    private func routes(_ change: String, _ cut: Cut, _ member: Int) {
        func blackhole(_ from: Int, _ host: String) {
            run("-n", name(from), "route", change, "blackhole", "\(host)/32")
        }
        if cut == .fromClients { return blackhole(member, "\(Self.prefix).254") }
        for other in hosts.indices where other != member {
            blackhole(member, hosts[other])
            if cut == .fromOthers { blackhole(other, hosts[member]) }
        }
    }

    private func setUp() -> Bool {
        let bridge = "pa\(tag)br"
        guard run("link", "add", bridge, "type", "bridge"),
            run("addr", "add", "\(Self.prefix).254/24", "dev", bridge),
            run("link", "set", bridge, "up")
        else {
            tearDown()
            return false
        }
        for (member, host) in hosts.enumerated() {
            let (space, link) = (name(member), "pa\(tag)v\(member)")
            guard run("netns", "add", space),
                run("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space),
                run("link", "set", link, "master", bridge, "up"),
                run("-n", space, "addr", "add", "\(host)/24", "dev", "eth0"),
                run("-n", space, "link", "set", "eth0", "up"),
                run("-n", space, "link", "set", "lo", "up")
            else {
                tearDown()
                return false
            }
        }
        return true
    }

    private func tearDown() {
        for member in 0..<3 {
            run("link", "del", "pa\(tag)v\(member)")
            run("netns", "del", name(member))
        }
        run("link", "del", "pa\(tag)br")
    }

    @discardableResult
    private func run(_ arguments: String...) -> Bool {
        ExternalTool(name: "ip").run(arguments) != nil
    }
}

/// What finds its way no longer.
private enum Cut: String, CaseIterable {
    /// Nothing between a member and the others; whoever is on this machine still reaches it.
    case fromOthers
    /// Nothing from a member to its clients: it may act, and nobody hears of it.
    case fromClients
    /// Nothing from a member to the others, while it hears them.
    case toOthers
}

@Suite(.enabled(if: EtcdCluster.isInstalled, "etcd-server isn't installed"), .serialized)
struct EtcdPartitionTests {
    @Test(arguments: Cut.allCases)
    private func `leaders that are cut off lose nothing that was acknowledged`(
        cut: Cut
    ) async throws {
        guard let networks = Networks() else {
            print(
                "etcd, leaders cut off: NOT RUN, as networks can't be made here (it takes root and "
                    + "iproute2)")
            return
        }
        var options = EtcdCluster.Options()
        options.members = 3
        options.hosts = networks.hosts
        options.command = { member, arguments in
            ["ip", "netns", "exec", networks.name(member)] + arguments
        }
        let cluster = try await EtcdCluster(options)
        let stores: [any CredentialStore] = try (0..<6).map { _ in try cluster.store() }
        let trial = AppendTrial(stores, witness: try cluster.store(), lists: 6)
        let tally = try await trial.run { progress in
            for _ in 0..<2 {
                try await progress.more(20)
                let leader = try await cluster.someLeader()
                networks.cut(cut, leader)
                try await Task.sleep(for: .seconds(7))
                networks.mend(cut, leader)
            }
            try await progress.more(20)
        }
        print("etcd, 2 leaders cut off \(cut.rawValue): \(tally)")
        #expect(tally.broken == 0)
        #expect(tally.acknowledged > 10)
    }
}
