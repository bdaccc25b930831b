import Testing

/// The public names that apps import beside Apple's: none is one of Apple's, nor stands twice.
struct NamesTests {
    private static let here = Repository.here

    /// What only tests import has names of its own as well, but nobody imports it beside SwiftUI.
    private static func isForApps(_ product: String) -> Bool {
        product != "PushTesting" && !product.hasSuffix("Simulator")
    }

    /// The types and functions at the top level of each product that apps link.
    private static func names() throws -> [String: [String]] {
        var names: [String: [String]] = [:]
        for path in try here.paths(in: ["docs/api"], endingWith: ".txt") {
            guard let product = path.split(separator: "/").last?.dropLast(4),
                isForApps(String(product))
            else { continue }
            for line in try here.lines(of: path) {
                guard
                    let match = line.wholeMatch(
                        of:
                            /([A-Za-z0-9]+): .*\b(?:struct|class|enum|actor|protocol|typealias) \1\b.*/
                    )
                else { continue }
                names[String(match.1), default: []].append(String(product))
            }
        }
        return names
    }

    @Test func `no public name is one that Apple's modules have`() throws {
        let apples = Set(
            try Self.here.lines(of: ".ci/types/names.txt").filter { !$0.hasPrefix("#") }
                .flatMap { $0.split(separator: " ").map(String.init) })
        #expect(apples.count > 300)
        let names = try Self.names()
        #expect(names.count > 200)
        #expect(apples.intersection(names.keys) == [])
    }

    @Test func `no two products that one app links have the same name`() throws {
        for (name, products) in try Self.names() { #expect(Set(products).count == 1, "\(name)") }
    }
}
