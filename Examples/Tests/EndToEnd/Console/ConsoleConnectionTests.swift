import Foundation
import Testing

@testable import push_lab

/// The console's connections: those that wait for events, and those that say too little.
@Suite(.timeLimit(.minutes(2))) struct ConsoleConnectionTests {
    @Test func `a change is told to who listens, and reading changes nothing`() async throws {
        try await ConsoleDevice.run { world in
            let stream = try EventStream(at: world.port)
            defer { stream.stop() }
            let first = try await stream.next()
            #expect(try await world.get("/").text.contains("data-version=\"\(first)\""))
            #expect(try await world.post("/users", "user=ann").status == 303)
            let second = try await stream.next()
            #expect(second > first)
            for _ in 0..<2 {
                let page = try await world.get("/").text
                #expect(page.contains("data-version=\"\(second)\""))
                #expect(page.contains("id=\"user-forgerock-ann\""))
            }
        }
    }

    @Test(arguments: [
        "", "GET / HTTP/1.1\r\nHo",
        "POST /users HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 20\r\n\r\nuser=",
    ])
    func `who says too little is cut off, and who listens for events isn't`(
        text: String
    ) async throws {
        try await ConsoleDevice.run(patience: .seconds(2)) { world in
            let stream = try EventStream(at: world.port)
            defer { stream.stop() }
            let first = try await stream.next()
            // Each takes longer than the patience lasts.
            for _ in 0..<2 {
                #expect(await SlowClient.exchange(with: world.port, text) != nil)
            }
            #expect(try await world.post("/users", "user=ann").status == 303)
            #expect(try await stream.next() > first)
            #expect(try await !world.get("/").text.contains("id=\"user-forgerock-\""))
        }
    }

    @Test(arguments: ["/", "/forgerock/jane", "/style.css"])
    func `a head is a page's without the page`(path: String) async throws {
        try await ConsoleDevice.run { world in
            let reply = await SlowClient.exchange(
                with: world.port,
                "HEAD \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\n"
                    + "Connection: close\r\n\r\n")
            #expect(reply?.hasPrefix("HTTP/1.1 200") == true)
            #expect(reply?.hasSuffix("\r\n\r\n") == true)
            let length = try await world.get(path).text.utf8.count
            #expect(reply?.lowercased().contains("content-length: \(length)\r\n") == true)
        }
    }
}

/// Listens to the console's events, as a browser does.
private struct EventStream {
    private let connection: FileHandle
    private let lines: AsyncStream<String>

    init(at port: Int) throws {
        guard let descriptor = LoopbackSocket.connect(to: port) else {
            throw Browser.Failure("The console can't be reached.")
        }
        connection = FileHandle(fileDescriptor: descriptor)
        lines = Lines.stream(from: connection)
        let request = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        _ = Array(request.utf8).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// The number of the next version.
    func next() async throws -> Int {
        for await line in lines {
            guard let number = line.wholeMatch(of: /data: (\d+)\r?/)?.1 else { continue }
            return Int(number) ?? 0
        }
        throw Browser.Failure("The stream has ended.")
    }

    func stop() {
        shutdown(connection.fileDescriptor, Int32(SHUT_RDWR))
    }
}
