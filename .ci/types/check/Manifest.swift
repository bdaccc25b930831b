import Foundation

/// What the root manifest says, for one of Apple's systems.
struct Manifest: Decodable {
    struct Target: Decodable {
        let name, type: String
        let path: String?
        let exclude: [String]?
        let dependencies: [[String: [Value]]]
        let settings: [Setting]
        let packageAccess: Bool?
    }

    struct Setting: Decodable {
        let kind: [String: [String: Value]]
    }

    struct Product: Decodable {
        let targets: [String]
    }

    /// A part of what SwiftPM dumps: only texts and lists of platforms count.
    enum Value: Decodable {
        case text(String)
        case condition(platforms: [String])
        case other

        private struct Condition: Decodable { let platformNames: [String] }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let condition = try? container.decode(Condition.self) {
                self = .condition(platforms: condition.platformNames)
            } else {
                self = .other
            }
        }

        var text: String? { if case .text(let text) = self { text } else { nil } }
    }

    let name: String
    let products: [Product]
    let targets: [Target]

    init(of folder: URL, scratch: URL) throws {
        let told = try run(
            "swift",
            [
                "package", "--package-path", folder.path(), "--scratch-path", scratch.path(),
                "dump-package",
            ], withErrors: false)
        guard told.status == 0 else { throw Failure(text: "the manifest can't be read") }
        self = try JSONDecoder().decode(Manifest.self, from: Data(told.output.utf8))
    }

    /// What the products consist of on a system, each behind what it depends on.
    func shipped(on system: String) -> [Target] {
        var order: [Target] = []
        func visit(_ name: String) {
            guard !order.contains(where: { $0.name == name }),
                let target = targets.first(where: { $0.name == name && $0.type == "regular" })
            else { return }
            for dependency in target.dependencies {
                guard let (kind, values) = dependency.first, kind != "product" else { continue }
                if case .condition(let platforms)? = values.last, !platforms.contains(system) {
                    continue
                }
                if let name = values.first?.text { visit(name) }
            }
            order.append(target)
        }
        for product in products { product.targets.forEach(visit) }
        return order
    }

    /// The compiler's flags of a target.
    func flags(of target: Target) -> [String] {
        var flags = ["-swift-version", "6"]
        for setting in target.settings {
            for (kind, values) in setting.kind {
                guard let name = values["_0"]?.text else { continue }
                if kind == "enableUpcomingFeature" { flags += ["-enable-upcoming-feature", name] }
            }
        }
        if target.packageAccess ?? true { flags += ["-package-name", name] }
        return flags
    }
}
