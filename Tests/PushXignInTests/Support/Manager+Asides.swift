import HTTPTypes

/// What happens elsewhere while a call is on its way.
extension Manager {
    struct Aside: Sendable {
        enum Moment: Sendable { case before, after }

        let call: Call
        let moment: Moment
        let body: @Sendable () async -> Void
    }

    /// Something happens while the next such call is on its way to the manager.
    func before(_ call: Call, _ body: @escaping @Sendable () async -> Void) {
        asides.append(Aside(call: call, moment: .before, body: body))
    }

    /// Something happens while the answer to the next such call is on its way back.
    func after(_ call: Call, _ body: @escaping @Sendable () async -> Void) {
        asides.append(Aside(call: call, moment: .after, body: body))
    }

    func meanwhile(before request: HTTPRequest) async { await meanwhile(.before, request) }

    func meanwhile(after request: HTTPRequest) async { await meanwhile(.after, request) }

    private func meanwhile(_ moment: Aside.Moment, _ request: HTTPRequest) async {
        let call = Self.call(request.method.rawValue, request.path ?? "")
        guard let index = asides.firstIndex(where: { $0.call == call && $0.moment == moment })
        else { return }
        await asides.remove(at: index).body()
    }
}
