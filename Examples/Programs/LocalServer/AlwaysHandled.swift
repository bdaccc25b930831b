import HummingbirdCore
import Logging
import NIOCore

/// A channel that handles the connections as well that come while the server stops.
///
/// Those are dropped by the server, and a connection whose writer nobody has finished brings down the
/// process. To handle one that is closed finishes it.
struct AlwaysHandled<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(
        channel: any Channel, logger: Logger
    ) -> EventLoopFuture<Connection<Base>> {
        base.setup(channel: channel, logger: logger)
            .map { Connection($0, base: base, logger: logger) }
    }

    func handle(value: Connection<Base>, logger: Logger) async {
        await value.handle()
    }

    /// A connection that is handled sooner or later.
    final class Connection<Channel: ServerChildChannel>: ServerChildChannelValue {
        private let value: Channel.Value
        private let base: Channel
        private let logger: Logger
        // Whoever handles it holds it, so that nobody else looks before the end.
        nonisolated(unsafe) private var isHandled = false

        init(_ value: Channel.Value, base: Channel, logger: Logger) {
            self.value = value
            self.base = base
            self.logger = logger
        }

        var channel: any NIOCore.Channel { value.channel }

        func handle() async {
            isHandled = true
            await base.handle(value: value, logger: logger)
        }

        deinit {
            guard !isHandled else { return }
            let (value, base, logger) = (value, base, logger)
            value.channel.close(promise: nil)
            Task { await base.handle(value: value, logger: logger) }
        }
    }
}
