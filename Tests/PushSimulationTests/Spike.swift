import Testing
import Foundation
import PushCore
import PushSimulation
@Test func spike() async {
    #expect(Simulation.isAvailable)
    let env = ProcessInfo.processInfo.environment
    let from = UInt64(env["FROM"] ?? "0") ?? 0, n = UInt64(env["N"] ?? "100") ?? 100
    let mutation = env["MUT"].flatMap(Mutation.init)
    await withCheckedContinuation { c in
        let t = Thread { 
            let start = Date()
            var steps = 0, answers = 0
            var rules: [String: [String]] = [:]
            for seed in from..<(from + n) {
                let r = Simulation(seed: seed, mutation: mutation).run(tracing: n == 1)
                steps += r.steps; answers += r.answers
                if n == 1 { for l in r.trace { print(l) }; for v in r.violations { print(v) } }
                for v in r.violations { rules[v.rule.rawValue, default: []].append("\(seed) \(v.text)") }
            }
            for (r, s) in rules { print(r, s.count); for l in s.prefix(6) { print("    ", l) } }
            print("ms/schedule", Date().timeIntervalSince(start) * 1000 / Double(n), "steps", steps / Int(n), "answers", Double(answers) / Double(n))
            c.resume()
        }
        t.stackSize = 8 << 20
        t.start()
    }
}
