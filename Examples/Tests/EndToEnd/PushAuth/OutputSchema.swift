import Foundation
import PushCore
import Testing

/// The schema that the guide has for the output of `--json`: so much of JSON Schema as it uses, and
/// one thing more, that every member must be in it.
struct OutputSchema {
    let root: JSON

    init() throws {
        let file = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../../docs/guides/pushauth-events.schema.json")
        root = try JSON(parsing: Data(contentsOf: file.standardizedFileURL))
    }

    init(_ root: JSON) {
        self.root = root
    }

    /// Records an issue for each line of an output that isn't as the guide says.
    static func check(_ output: String, of arguments: [String]) {
        guard arguments.contains("--json") || arguments.contains("--from") else { return }
        for line in output.split(separator: "\n") {
            do {
                let problems = try OutputSchema().problems(of: try JSON(parsing: String(line)))
                guard !problems.isEmpty else { continue }
                Issue.record("Not in the schema: \(line)\n\(problems.joined(separator: "\n"))")
            } catch {
                Issue.record("No JSON: \(line)")
            }
        }
    }

    /// What is wrong with a value; `[]` if nothing is.
    func problems(of value: JSON) -> [String] {
        var known: Set<String> = []
        return problems(of: value, root, at: "", isWhole: true, &known)
    }

    /// `isWhole` says whether no other schema knows members of the same object. The members that
    /// the schema knows are added to `known`.
    private func problems(
        of value: JSON, _ schema: JSON, at path: String, isWhole: Bool, _ known: inout Set<String>
    ) -> [String] {
        if schema.bool == true { return [] }
        if schema["$ref"] != nil {
            let target = target(of: schema) ?? .bool(false)
            return self.problems(of: value, target, at: path, isWhole: isWhole, &known)
        }
        if let choices = schema["anyOf"]?.array {
            let all = choices.map { choice -> [String] in
                var inner: Set<String> = []
                return self.problems(of: value, choice, at: path, isWhole: isWhole, &inner)
            }
            return all.contains([]) ? [] : all.min { $0.count < $1.count } ?? []
        }
        var problems: [String] = []
        if let allowed = schema["enum"]?.array ?? schema["const"].map({ [$0] }),
            !allowed.contains(value)
        {
            problems.append("\(path): \(value.text) isn't one of \(JSON.array(allowed).text)")
        }
        if let type = schema["type"]?.string, !value.isOf(type) {
            return problems + ["\(path): \(value.text) is no \(type)"]
        }
        if let pattern = schema["pattern"]?.string, let text = value.string,
            (try? Regex(pattern).firstMatch(in: text)) ?? nil == nil
        {
            problems.append("\(path): '\(text)' doesn't match \(pattern)")
        }
        if let items = schema["items"], let array = value.array {
            for (index, item) in array.enumerated() {
                var inner: Set<String> = []
                problems += self.problems(
                    of: item, items, at: "\(path)/\(index)", isWhole: true, &inner)
            }
        }
        guard let object = value.object else { return problems }
        for part in schema["allOf"]?.array ?? [] {
            problems += self.problems(of: value, part, at: path, isWhole: false, &known)
        }
        for (name, member) in schema["properties"]?.object?.members ?? [] {
            known.insert(name)
            guard let value = object[name] else { continue }
            var inner: Set<String> = []
            problems += self.problems(
                of: value, member, at: "\(path)/\(name)", isWhole: true, &inner)
        }
        for name in (schema["required"]?.array ?? []).compactMap(\.string)
        where object[name] == nil {
            problems.append("\(path): \(name) is missing")
        }
        if isWhole, schema["additionalProperties"]?.bool != true {
            problems += object.members.map(\.name).filter { !known.contains($0) }
                .map { "\(path): \($0) is unknown" }
        }
        return problems
    }

    /// The members that a schema describes, each by the way to it, such as `/asks/prompt`.
    func paths(in schema: JSON, at path: String = "") -> Set<String> {
        var paths: Set<String> = []
        let parts = [target(of: schema), schema["items"]].compactMap(\.self)
        for part in parts + (schema["allOf"]?.array ?? []) {
            paths.formUnion(self.paths(in: part, at: path))
        }
        for (name, member) in schema["properties"]?.object?.members ?? [] {
            paths.insert("\(path)/\(name)")
            paths.formUnion(self.paths(in: member, at: "\(path)/\(name)"))
        }
        return paths
    }

    /// What a schema refers to; `nil` if it says itself what it is.
    private func target(of schema: JSON) -> JSON? {
        schema["$ref"]?.string.flatMap { root["$defs"]?[String($0.dropFirst("#/$defs/".count))] }
    }
}

extension JSON {
    /// The members that it has, each by the way to it, such as `/asks/prompt`.
    func paths(at path: String = "") -> Set<String> {
        var paths: Set<String> = []
        for item in array ?? [] { paths.formUnion(item.paths(at: path)) }
        for (name, member) in object?.members ?? [] {
            paths.insert("\(path)/\(name)")
            paths.formUnion(member.paths(at: "\(path)/\(name)"))
        }
        return paths
    }

    fileprivate func isOf(_ type: String) -> Bool {
        switch type {
        case "object": object != nil
        case "array": array != nil
        case "string": string != nil
        case "integer": integer != nil
        case "boolean": bool != nil
        case "number": double != nil
        default: false
        }
    }
}
