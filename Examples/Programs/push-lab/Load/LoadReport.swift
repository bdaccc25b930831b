import Foundation

/// What a run came to.
struct LoadReport {
    let count: Int
    let width: Int
    /// How many durable writes a login has, and their size.
    let writes: Int
    let bytes: Int
    let listening: LoadRun.Pace
    let loop: LoadRun.Pace
    let bare: LoadRun.Pace

    var text: String {
        let ratio = rate(listening) / rate(bare)
        return """
            \(count) pushes over \(count) accounts, \(width) at once, all approved
            pushauth            \(line(listening))
            compare-and-set     \(line(bare))  (\(writes) writes a login, \(bytes) bytes each)
            pushauth / store    \(format(ratio, 2))
            libcurl alone       \(line(loop))
            """
    }

    private func rate(_ pace: LoadRun.Pace) -> Double {
        Double(count) / (pace.time / .seconds(1))
    }

    private func line(_ pace: LoadRun.Pace) -> String {
        let processor = format(pace.processor / Double(count) * 1000, 2)
        return "\(format(rate(pace), 0)) logins/s  \(processor) ms of processor each"
    }

    private func format(_ number: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", number)
    }
}
