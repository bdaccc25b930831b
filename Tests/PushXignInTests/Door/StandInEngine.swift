import Foundation
import IndependentEncodings
import PushCore
import PushXignIn

/// Stands in for the vendor's closed engine, as an app with its license would have it: it alone reads
/// the wire, keeps the keys and talks to the manager. Here manager and engine are the same few lines.
actor StandInEngine {
    /// An activation, as the manager has it.
    struct Activation {
        var pin: String
        var token: String?
    }

    private(set) var activations: [String: Activation] = [:]
    /// What the manager took, in order.
    private(set) var decisions: [String] = []
    private(set) var started: Set<String> = []
    private var tries = 3
    private let key = Array("what only the engine knows".utf8)

    // MARK: The manager's side

    /// A push as the engine's manager would send it.
    func push(_ command: JSON.Object) -> [String: String] {
        let text = JSON.object(command).text
        return ["engine": "\(base64url(text)).\(base64url(hmac(key, Array(text.utf8))))"]
    }

    // MARK: The engine's calls

    /// Opens a message; `nil` if the manager didn't make it.
    func command(in text: String) -> JSON? {
        let parts = text.split(separator: ".").compactMap { decoded(base64url: $0) }
        guard parts.count == 2, hmac(key, parts[0]) == parts[1] else { return nil }
        return try? JSON(parsing: Data(parts[0]))
    }

    func activate(_ name: String, pin: String) { activations[name] = Activation(pin: pin) }

    func setToken(_ token: String?, of name: String) -> Bool? {
        guard activations[name] != nil else { return nil }
        activations[name]?.token = token
        return token != nil
    }

    func end(_ name: String) -> Bool { activations.removeValue(forKey: name) != nil }

    func start(_ process: String) { started.insert(process) }

    func reject(_ process: String, _ reason: String) { decisions.append("\(process) \(reason)") }

    /// Judges a PIN; how many tries are left if it is wrong.
    func approve(_ process: String, at name: String, role: String, pin: String) -> Int? {
        guard activations[name]?.pin == pin else {
            tries -= 1
            return tries
        }
        decisions.append("\(process) approve as \(role)")
        return nil
    }
}
