import LinuxSystem
import Testing

@Suite struct DirectoryWatchTests {
    @Test("names that come, go and change are told, and the directory's own end")
    func watches() throws {
        let folder = try TemporaryFolder()
        let directory = try LinuxSystem.Directory.open(folder("d"), create: true)
        let watch = try DirectoryWatch(folder("d"))
        func happened() throws -> Bool {
            let ready = try Poll.wait(watch.rawValue, for: .readable, timeoutMilliseconds: 0)
            watch.drain()
            return ready == .readable
        }
        #expect(try !happened())
        try folder.write("d/a", "x")
        #expect(try happened())
        #expect(try !happened())
        _ = try directory.read(name: "a", limit: 10)
        #expect(try !happened())
        try directory.rename("a", to: "b")
        #expect(try happened())
        try directory.unlink("b")
        #expect(try happened())
        try PathSetup.move(folder("d"), to: folder("e"))
        #expect(try happened())
    }

    @Test("what is no directory is not watched")
    func refuses() throws {
        let folder = try TemporaryFolder()
        try folder.write("f", "")
        let none = failure { () throws(Errno) in try DirectoryWatch(folder("none")) }
        #expect(none == .notFound)
        let file = failure { () throws(Errno) in try DirectoryWatch(folder("f")) }
        #expect(file == .notADirectory)
    }
}
