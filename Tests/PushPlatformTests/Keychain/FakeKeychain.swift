import PushCore

@testable import PushPlatform

/// The Security functions as Apple documents them for generic passwords, in memory; it counts the calls.
///
/// A password is one by its access group, service and account; a query finds what agrees with each of its
/// values; nothing can be read or changed while the device is locked.
final class FakeKeychain: KeychainCalls {
    struct Counts: Equatable, CustomStringConvertible {
        var copies = 0
        var additions = 0
        var updates = 0
        var deletions = 0

        var all: Int { copies + additions + updates + deletions }
        var description: String {
            "\(copies) SecItemCopyMatching, \(additions) SecItemAdd, \(updates) SecItemUpdate, "
                + "\(deletions) SecItemDelete"
        }
    }

    struct Password {
        let group: String?
        var item: KeychainItem
    }

    private struct State {
        var passwords: [Password] = []
        var counts = Counts()
        var isLocked = false
        var misses = 0
    }

    private let state = Locked(State())

    var counts: Counts { state.withLock { $0.counts } }
    var passwords: [Password] { state.withLock { $0.passwords } }

    func count() -> Counts {
        state.withLock { state in
            defer { state.counts = Counts() }
            return state.counts
        }
    }

    func lock(_ isLocked: Bool = true) { state.withLock { $0.isLocked = isLocked } }

    /// The next lookups find nothing, as while the keychain is moved.
    func miss(_ times: Int) { state.withLock { $0.misses = times } }

    /// Puts an item there that no store wrote.
    func put(_ item: KeychainItem, in group: String? = nil) {
        state.withLock { $0.passwords.append(Password(group: group, item: item)) }
    }

    /// Changes an item behind the store's back.
    func change(_ account: String, _ body: (inout KeychainItem) -> Void) {
        state.withLock { state in
            for index in state.passwords.indices
            where state.passwords[index].item.account == account {
                body(&state.passwords[index].item)
            }
        }
    }

    private func call<Value>(_ locked: Value, _ body: (inout State) -> Value) -> Value {
        state.withLock { state in state.isLocked ? locked : body(&state) }
    }

    func add(_ item: KeychainItem, in accessGroup: String?) -> Int32 {
        call(-25308) { state in
            state.counts.additions += 1
            let query = KeychainQuery(
                accessGroup: accessGroup, service: item.service, account: item.account)
            guard !state.passwords.contains(where: { $0.agrees(with: query) }) else {
                return -25299
            }
            state.passwords.append(Password(group: accessGroup, item: item))
            return 0
        }
    }

    func copy(
        _ query: KeychainQuery, withValues: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        call((-25308, [])) { state in
            state.counts.copies += 1
            if state.misses > 0 {
                state.misses -= 1
                return (-25300, [])
            }
            var found = state.passwords.filter { $0.agrees(with: query) }.map(\.item)
            if withValues { found = Array(found.prefix(1)) }
            if !withValues { for index in found.indices { found[index].value = nil } }
            return found.isEmpty ? (-25300, []) : (0, found)
        }
    }

    func update(_ query: KeychainQuery, _ value: Secret, mark: [UInt8]) -> Int32 {
        call(-25308) { state in
            state.counts.updates += 1
            let indices = state.passwords.indices.filter { state.passwords[$0].agrees(with: query) }
            for index in indices {
                state.passwords[index].item.value = value
                state.passwords[index].item.mark = mark
            }
            return indices.isEmpty ? -25300 : 0
        }
    }

    func delete(_ query: KeychainQuery) -> Int32 {
        call(-25308) { state in
            state.counts.deletions += 1
            let before = state.passwords.count
            state.passwords.removeAll { $0.agrees(with: query) }
            return state.passwords.count < before ? 0 : -25300
        }
    }
}

extension FakeKeychain.Password {
    fileprivate func agrees(with query: KeychainQuery) -> Bool {
        (query.accessGroup == nil || query.accessGroup == group)
            && (query.service == nil || query.service == item.service)
            && (query.account == nil || query.account == item.account)
            && (query.mark == nil || query.mark == item.mark)
    }
}
