import ExternalTool
import Foundation
import Testing

/// The scripts of `.ci`: the gate runs some of them for what they do, and would find no other broken.
@Suite struct ScriptsTests {
    @Test func `every script of the gate can be read by its shell`() throws {
        let scripts = try Repository.here.paths(in: [".ci"]).filter { path in
            try Repository.here.text(of: path)?.hasPrefix("#!/usr/bin/env bash") == true
        }
        #expect(scripts.contains(".ci/demo") && scripts.contains(".ci/progress"))
        for script in scripts {
            let place = Repository.here.root.appending(path: script).path
            #expect(ExternalTool(name: "bash").run(["-n", place]) != nil, "\(script)")
        }
    }

    @Test func `a build's progress is a line for each tenth, where no terminal is`() throws {
        let build = """
            Building for debugging...
            [1/9] Write sources
            [0/200] Compiling a.c
            [7/200] Compiling b.c
            warning: [200/200] isn't at its beginning
            [20/200] Compiling c.c
            [39/200] Compiling d.c
            [40/200] Compiling e.c
            [200/200] Linking push-lab
            """
        let progress = ExternalTool(
            name: Repository.here.root.appending(path: ".ci/progress").path)
        let told = try #require(progress.run([], input: Data(build.utf8)))
        #expect(
            String(decoding: told, as: UTF8.self).split(separator: "\n") == [
                "built 0 of 200 parts", "built 20 of 200 parts", "built 40 of 200 parts",
                "built 200 of 200 parts",
            ])
    }

    @Test(.enabled(if: ExternalTool.hasPython)) func `a seed's line gives its bytes back`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "seeds-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let seeds = [
            "binary": Data(UInt8.min...UInt8.max), "empty": Data(),
            "text": Data(" é, e\u{301}\\n\r\n\t ".utf8),
        ]
        for (name, bytes) in seeds { try bytes.write(to: folder.appending(path: name)) }
        let script = ExternalTool(name: Repository.here.root.appending(path: ".ci/seeds").path)
        let list = try #require(
            script.run(["--lines"] + seeds.keys.map { folder.appending(path: $0).path }))
        let lines = String(decoding: list, as: UTF8.self).split(separator: "\n")
        #expect(lines.dropFirst() == ["empty", #"text \x20é, e\xCC\x81\\n\r\n\t\x20"#])

        let file = folder.appending(path: "list")
        let unpacked = folder.appending(path: "unpacked")
        try list.write(to: file)
        try #require(script.run([file.path, unpacked.path]) != nil)
        for (name, bytes) in seeds {
            #expect(try Data(contentsOf: unpacked.appending(path: name)) == bytes)
        }
    }
}
