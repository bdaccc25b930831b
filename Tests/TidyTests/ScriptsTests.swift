import ExternalTool
import Foundation
import Testing

/// The shell scripts that only a person runs: the gate doesn't, so nothing else would find them broken.
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
}
