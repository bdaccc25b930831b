import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ForgeRockSimulator {
    private enum Action: String {
        case register, authenticate, refresh
    }

    /// Does what a request asks for.
    func handle(_ request: HTTPRequest, _ body: Data) throws(Refusal) {
        let parts = (request.path ?? "").split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path == configuration.path else { throw .notFound }
        guard request.method == .post else { throw .wrongMethod }
        try checkVersion(request)
        let action = try action(in: parts.count > 1 ? parts[1] : "")
        guard configuration.hasPushService else { throw .noPushService }
        guard let members = try? JSON(parsing: body).object else { throw .badRequest }
        switch action {
        // One code for both: the message identifier says which it is, not the action.
        case .register, .authenticate: try take(members)
        case .refresh: try refresh(members)
        }
    }

    private func action(in query: Substring) throws(Refusal) -> Action {
        let name = "_action="
        let value = query.split(separator: "&").first { $0.hasPrefix(name) }?
            .dropFirst(name.count)
        guard let action = Action(rawValue: String(value ?? "")),
            action != .refresh || configuration.hasRefresh
        else { throw .unsupportedAction }
        return action
    }

    /// Without a version, AM takes the latest on its default settings.
    private func checkVersion(_ request: HTTPRequest) throws(Refusal) {
        guard let name = HTTPField.Name("Accept-API-Version"),
            let text = request.headerFields[name]
        else { return }
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
                .map { $0.filter { $0 != " " } }
            guard pair.count == 2 else { throw .badRequest }
            guard pair[0] == "resource" else { continue }
            guard pair[1].split(separator: ".").first == "1" else { throw .wrongVersion }
        }
    }
}
