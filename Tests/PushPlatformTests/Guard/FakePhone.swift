import PushCore

@testable import PushPlatform

/// The calls of Security and LocalAuthentication as Apple documents them, in memory; it counts what the
/// user was asked.
///
/// What the user has proved counts for one context: it is asked for again by another one.
final class FakePhone: GuardCalls {
    /// What the user does when they are asked.
    enum User: Sendable { case succeeds, cancels, fails }

    struct Item {
        let key: Secret
        let policy: GuardPolicy
    }

    fileprivate struct State {
        var items: [String: Item] = [:]
        var prompts: [String?] = []
        var user = User.succeeds
        var isLocked = false
        var misses = 0
        var lacks: Set<GuardPolicy> = []
        var refusal: Int32?
    }

    fileprivate let state = Locked(State())

    var names: [String] { state.withLock { $0.items.keys.sorted() } }
    var prompts: [String?] { state.withLock { $0.prompts } }

    func set(_ user: User) { state.withLock { $0.user = user } }
    func lock(_ isLocked: Bool = true) { state.withLock { $0.isLocked = isLocked } }

    /// The next lookups find nothing, as while the keychain is moved.
    func miss(_ times: Int) { state.withLock { $0.misses = times } }

    /// The next calls return a status of their own.
    func refuse(_ status: Int32?) { state.withLock { $0.refusal = status } }

    /// The system ends what only the fingers open that were there before.
    func addFinger() { end([.currentBiometry]) }

    /// The system ends what wants a passcode, and has none for what comes.
    func turnOffPasscode() {
        end([.deviceOwner, .currentBiometry])
        state.withLock { $0.lacks = [.deviceOwner, .currentBiometry] }
    }

    private func end(_ policies: Set<GuardPolicy>) {
        state.withLock { state in
            state.items = state.items.filter { !policies.contains($0.value.policy) }
        }
    }

    /// Puts another key in the place of each.
    func replaceKeys(by key: Secret) {
        state.withLock { state in
            state.items = state.items.mapValues { Item(key: key, policy: $0.policy) }
        }
    }

    // MARK: The calls

    func canOpen(_ policy: GuardPolicy) -> Bool {
        state.withLock { !$0.lacks.contains(policy) }
    }

    func add(_ key: Secret, named name: String, under policy: GuardPolicy) -> Int32 {
        state.withLock { state in
            if let refusal = state.refusal { return refusal }
            guard state.items[name] == nil else { return -25299 }
            state.items[name] = Item(key: key, policy: policy)
            return 0
        }
    }

    func makeContext(_ prompt: String?) -> any GuardContext { Context(self, prompt) }

    func delete(_ name: String) -> Int32 {
        state.withLock { $0.items.removeValue(forKey: name) == nil ? -25300 : 0 }
    }

    private final class Context: GuardContext {
        private let phone: FakePhone
        private let prompt: String?
        private var hasProved = false

        init(_ phone: FakePhone, _ prompt: String?) {
            self.phone = phone
            self.prompt = prompt
        }

        func copy(_ name: String) -> (status: Int32, key: Secret?) {
            let (hasProved, prompt) = (hasProved, prompt)
            let (result, proved) = phone.state.withLock { state in
                state.copy(name, for: prompt, hasProved: hasProved)
            }
            self.hasProved = proved
            return result
        }
    }
}

extension FakePhone.State {
    fileprivate mutating func copy(
        _ name: String, for prompt: String?, hasProved: Bool
    ) -> (result: (status: Int32, key: Secret?), hasProved: Bool) {
        if let refusal { return ((refusal, nil), hasProved) }
        if isLocked { return ((-25308, nil), hasProved) }
        if misses > 0 {
            misses -= 1
            return ((-25300, nil), hasProved)
        }
        guard let item = items[name] else { return ((-25300, nil), hasProved) }
        if item.policy == .presence || hasProved { return ((0, item.key), hasProved) }
        prompts.append(prompt)
        switch user {
        case .succeeds: return ((0, item.key), true)
        case .cancels: return ((-128, nil), false)
        case .fails: return ((-25293, nil), false)
        }
    }
}
