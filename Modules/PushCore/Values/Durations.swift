extension Duration {
    /// The duration in seconds, its fraction included.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// The duration in whole milliseconds. One that 64 bits can't hold becomes a quarter of the
    /// greatest number, so that a moment can still be added to it.
    package var inMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min / 4 : .max / 4 }
        return min(max(whole + attoseconds / 1_000_000_000_000_000, .min / 4), .max / 4)
    }
}
