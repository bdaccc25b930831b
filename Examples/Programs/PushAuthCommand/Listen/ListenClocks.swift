/// What a listener hears beside its pushes.
enum ListenClocks {
    /// Calls `body` each second, until its task is cancelled.
    static func eachSecond(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil { body() }
        }
    }

    /// Calls `body` once, after a time; never where there is no limit.
    static func after(
        _ limit: Duration?, _ body: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task {
            guard let limit, (try? await Task.sleep(for: limit)) != nil else { return }
            body()
        }
    }
}
