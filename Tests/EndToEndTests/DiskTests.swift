import Foundation
import Testing

/// Stores on disks that are full or may not be written.
@Suite(.needsPrograms, .timeLimit(.minutes(1)))
struct DiskTests {
    /// A small file system, mounted where the home's commands see it and nobody else does.
    private func withDisk(_ body: (Home) throws -> Void) throws {
        try Home.with { home in
            let disk = home.path + "/disk"
            try home.makeFolder(disk)
            home.environment["ACCOUNT_STATE_DIR"] = disk + "/state"
            home.environment["DISK"] = disk
            let ready = try Pipe()
            let script =
                "mount -t tmpfs -o size=64k,mode=700 none \"$DISK\" && echo ready && exec >&- 2>&- "
                + "&& exec sleep 300"
            let keeper = try home.startHelper(
                ["unshare", "--mount", "/bin/sh", "-c", script], output: ready)
            try #require(ready.readToEnd() == "ready\n")
            home.prefix = ["nsenter", "--target", "\(keeper)", "--mount", "--"]
            try body(home)
        }
    }

    private static let fill = "dd if=/dev/zero of=\"$DISK/fill\" bs=1k 2>/dev/null"
    private static let files = "ls -A \"$ACCOUNT_STATE_DIR\""
    private static let endDaemon =
        "p=$(cat \"$ACCOUNT_STATE_DIR/lock\"); kill -9 $p; while kill -0 $p 2>/dev/null; do :; done"

    @Test("a full disk is named, and the account before stays whole", .needsMounting)
    func full() throws {
        try withDisk { home in
            let state = home.environment["ACCOUNT_STATE_DIR"] ?? ""
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            let before = try home.shell(
                "cd \"$ACCOUNT_STATE_DIR\" && sha256sum account* keyslots* && ls -A"
            ).output
            _ = try home.shell(Self.fill)

            let response = TokenText.response(
                TokenText.other, more: #","screen_name":"\#(String(repeating: "x", count: 200))""#)
            for words in [["login"], ["login", "--replace"]] {
                let login = try home.run(
                    [home.programs + "/account"] + words, input: Array(response.utf8))
                #expect(login.status == 9)
                #expect(login.output.isEmpty)
                #expect(
                    login.errors
                        == "account: the daemon could not do it: \(state)/account.plist.sealed: "
                        + "cannot write: No space left on device (ENOSPC); what was stored before "
                        + "is unchanged\n")
            }
            #expect(
                try home.shell(
                    "cd \"$ACCOUNT_STATE_DIR\" && sha256sum account* keyslots* && ls -A"
                ).output
                    == before)
            #expect(try home.account("token").output == TokenText.token + "\n")
            // A daemon that starts on a full disk serves what is there.
            _ = try home.shell(Self.endDaemon)
            #expect(try home.account("token").output == TokenText.token + "\n")
            #expect(try home.account("logout").status == 0)

            _ = try home.shell("rm \"$DISK/fill\"")
            #expect(try home.account("login", input: response).status == 0)
            #expect(try home.account("token").output == TokenText.other + "\n")
        }
    }

    @Test("a first login on a full disk stores nothing and leaves no key behind", .needsMounting)
    func fullAtFirst() throws {
        try withDisk { home in
            #expect(try home.account("token").status == 3)
            _ = try home.shell(Self.fill)
            let login = try home.account("login", input: TokenText.response())
            #expect(login.status == 9)
            #expect(login.errors.contains("(ENOSPC)"))
            #expect(!(try home.shell(Self.files).output.contains("account.plist.sealed")))
            #expect(try home.account("token").status == 3)
            #expect(try home.account("doctor").status == 0)
            _ = try home.shell("rm \"$DISK/fill\"")
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            _ = try home.shell(Self.endDaemon)
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }

    @Test(
        "a disk that becomes read-only is named, and the account on it is served",
        .needsRoot, .needs("strace"))
    func readOnly() throws {
        try Home.with { home in
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            let pid = try #require(home.daemon)
            try home.failing("renameat:error=EROFS", of: pid) {
                let login = try home.account("login", input: TokenText.response(TokenText.other))
                #expect(login.status == 9)
                #expect(
                    login.errors
                        == "account: the daemon could not do it: \(home.account): cannot keep the previous "
                        + "file: Read-only file system (EROFS); what was stored before is unchanged\n"
                )
                #expect(try home.account("token").output == TokenText.token + "\n")
            }
            try home.failing("unlinkat:error=EROFS", of: pid) {
                let logout = try home.account("logout")
                #expect(logout.status == 9)
                #expect(logout.errors.contains("(EROFS); the account is still stored"))
                #expect(try home.account("token").output == TokenText.token + "\n")
            }
            #expect(
                try home.account("login", input: TokenText.response(TokenText.other)).status == 0)
            #expect(try home.account("token").output == TokenText.other + "\n")
            #expect(
                try home.shell("ls -A \"$ACCOUNT_STATE_DIR\"").output
                    == "account.plist.sealed\naccount.plist.sealed~\nkeyslots.plist\nkeyslots.plist~"
                    + "\nlock\nsocket\n")
        }
    }

    @Test("a daemon that cannot start on a store that may only be read says why", .needsMounting)
    func readOnlyAtStart() throws {
        try withDisk { home in
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            _ = try home.shell(Self.endDaemon)
            try #require(home.shell("mount -o remount,bind,ro \"$DISK\"").status == 0)
            let token = try home.account("token")
            // The lock and the socket are in the store: it names what it could not make.
            #expect(token.status == 5)
            #expect(token.errors.hasPrefix("account: the daemon could not start: "))
            #expect(token.errors.contains("(EROFS)"))
            try #require(home.shell("mount -o remount,bind,rw \"$DISK\"").status == 0)
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }

    @Test("a state directory that its owner is shut out of is named")
    func closed() throws {
        try Home.with { home in
            // Root is shut out of nothing.
            if geteuid() == 0 {
                home.prefix = [
                    "setpriv", "--reuid=61001", "--regid=61001", "--clear-groups", "--",
                ]
                try home.giveAway(to: 61001)
            }
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            try home.setMode(0o000, of: home.state)
            for words in [["token"], ["login"], ["logout"], ["show"]] {
                let result = try home.run(
                    [home.programs + "/account"] + words, input: Array(TokenText.response().utf8))
                #expect(result.status == 6)
                #expect(result.output.isEmpty)
                #expect(result.errors.contains(home.state))
                #expect(result.errorLines.count <= 2)
            }
            try home.setMode(0o700, of: home.state)
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }

    @Test(
        "a state directory that goes away with the socket in it ends the daemon; login makes another"
    )
    func removed() throws {
        try Home.with { home in
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            let pid = try #require(home.daemon)
            try FileManager.default.removeItem(atPath: home.state)
            #expect(home.hasEnded(pid))
            #expect(try home.account("token").status == 3)
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            try home.endDaemon(SIGKILL)
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }

    @Test(
        "a state directory that goes away under a daemon is made anew by the next login",
        arguments: [false, true])
    func removedBeneath(_ anotherTakesItsPlace: Bool) throws {
        try Home.with(.session) { home in
            home.environment["XDG_STATE_HOME"] = home.path + "/.local/state"
            let options = ["--socket", home.path + "/run/socket"]
            let pid = try home.startDaemon(options)
            home.environment["ACCOUNT_SOCKET"] = home.path + "/run/socket"
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            try FileManager.default.removeItem(atPath: home.state)
            if anotherTakesItsPlace { try home.makeFolder(home.state) }
            let login = try home.account("login", input: TokenText.response(TokenText.other))
            #expect(login.status == 0, "\(login.errors)")
            #expect(home.daemon == pid)
            // Whatever it has to write to be found again by the next daemon, it has written.
            kill(pid, SIGKILL)
            #expect(home.status(ofDaemon: pid) == 128 + SIGKILL)
            try home.startDaemon(options)
            let token = try home.account("token")
            #expect(token.output == TokenText.other + "\n", "\(token.errors)")
            #expect(try home.account("doctor").status == 0)
        }
    }
}

extension Home {
    /// Has system calls of a daemon fail while something is done. strace(1)
    ///
    /// A file system that is in use cannot be made to fail from outside.
    fileprivate func failing(
        _ injection: String, of pid: pid_t, _ body: () throws -> Void
    ) throws {
        let tracer = try startHelper(
            [
                "strace", "-qq", "-f", "-p", "\(pid)", "-o", "/dev/null", "-e",
                "inject=\(injection)",
            ],
            output: Pipe())
        func isTraced() -> Bool {
            !(ProcessTable.text(pid, "status")?.contains("TracerPid:\t0") ?? true)
        }
        try #require(ProcessTable.wait { isTraced() })
        // All threads are attached once the last one is.
        usleep(50_000)
        defer {
            kill(tracer, SIGTERM)
            #expect(ProcessTable.wait { !isTraced() })
        }
        try body()
    }
}
