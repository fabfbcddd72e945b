import Foundation
import Testing

@testable import AccountCommands

@Suite struct StatusAndDoctorTests {
    @Test("the status is shown line by line")
    func status() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let run = try CommandRun(["status", "--socket", daemon.socket])
        #expect(run.status == .done)
        #expect(
            run.output == """
                daemon:       running, version 0.1.0
                socket:       \(daemon.socket)
                account:      present
                protection:   keyfile (a copy of the store alone opens nothing; a stolen disk does)
                memory:       1048576 bytes that not even root can read
                clock:        steady
                connections:  2
                role:         owner

                """)
    }

    @Test("the status as JSON names everything that the daemon says")
    func statusJSON() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let run = try CommandRun(["status", "--json", "--socket", daemon.socket])
        #expect(
            run.output == #"{"running":true,"socket":"\#(daemon.socket)","version":"0.1.0","#
                + #""state":"present","protection":["keyfile"],"memory":"memfd_secret","#
                + #""locked_bytes":1048576,"clock":"steady","connections":2,"#
                + #""lock_after_idle":null,"lock_after":null,"role":"owner"}"# + "\n"
        )
    }

    @Test("the status says that no daemon runs, and starts none")
    func noDaemon() throws {
        let directory = try TemporaryDirectory()
        let run = try CommandRun(["status", "--state", directory.path])
        #expect(run.status == .noDaemon)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("account: no daemon runs\nhint: "))
        let json = try CommandRun(["status", "--json", "--state", directory.path])
        #expect(json.status == .noDaemon)
        #expect(json.output == "{\"running\":false}\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test("the doctor finds nothing where nothing is wrong")
    func healthy() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let run = try CommandRun(["doctor", "--socket", daemon.socket])
        #expect(run.status == .done)
        #expect(
            run.output == """
                ok     daemon: version 0.1.0 at \(daemon.socket)
                ok     memory: the daemon's 1048576 bytes for secrets are locked
                ok     store: nothing is damaged

                """)
        let json = try CommandRun(["doctor", "--json", "--socket", daemon.socket])
        #expect(json.output.hasPrefix(#"{"ok":true,"findings":[{"verdict":"ok","#))
        #expect(json.output.hasSuffix("],\"repaired_uid\":null}\n"))
        let repair = try CommandRun(["doctor", "--repair", "--socket", daemon.socket])
        #expect(repair.status == .done)
        #expect(repair.output.hasSuffix("Nothing needed to be repaired.\n"))
        #expect(!daemon.received.contains { $0.contains("Repair") })
    }

    @Test("the doctor exits with 7 and says what is damaged")
    func damaged() throws {
        let daemon = try FakeDaemon(
            FakeDaemon.present(but: [
                "Verify": #"{"parameters":{"findings":["account.plist.sealed is cut short"]}}"#
            ]))
        let run = try CommandRun(["doctor", "--socket", daemon.socket])
        #expect(run.status == .storeDamaged)
        #expect(run.output.hasSuffix("wrong  store: account.plist.sealed is cut short\n"))
        let repair = try CommandRun(["doctor", "--repair", "--socket", daemon.socket])
        // The fake daemon's files stay damaged.
        #expect(repair.status == .storeDamaged)
        #expect(
            repair.output.hasSuffix(
                "wrong  store: account.plist.sealed is cut short\nNothing could be repaired.\n"))
    }

    @Test("a store that has become whole since the daemon read it is read again by a repair")
    func keyCameBack() throws {
        let locked = FakeDaemon.status.replacing("present", with: "locked")
        let daemon = try FakeDaemon(
            FakeDaemon.present(but: ["GetStatus": #"{"parameters":{"status":\#(locked)}}"#]))
        let run = try CommandRun(["doctor", "--socket", daemon.socket])
        #expect(run.status == .storeDamaged)
        #expect(
            run.output.hasSuffix(
                "wrong  store: it is whole now, but was not when the daemon read it: "
                    + "account doctor --repair has it read again\n"))
        let repair = try CommandRun(["doctor", "--repair", "--socket", daemon.socket])
        #expect(repair.status == .done)
        #expect(daemon.received.contains { $0.contains("Repair") })
        #expect(
            repair.output.hasSuffix(
                "Repaired; the account of Zoë (uid 9900001001) is back."
                    + " Its token expires on 2026-01-08T00:00:00Z (in 1 day).\n"))
    }

    @Test("a repair that fails does not hide what is wrong")
    func failingRepair() throws {
        let daemon = try FakeDaemon(
            FakeDaemon.present(but: [
                "Verify": #"{"parameters":{"findings":["the key file is missing"]}}"#,
                "Repair": #"{"error":"org.accountd.Account.Locked","parameters":{}}"#,
            ]))
        let run = try CommandRun(["doctor", "--repair", "--socket", daemon.socket])
        #expect(run.status == .locked)
        #expect(run.output.contains("wrong  store: the key file is missing\n"))
    }

    @Test("the doctor looks at the state directory itself")
    func directory() throws {
        let directory = try TemporaryDirectory()
        let store = StoreLocation(path: directory.path, isChosen: true)
        let checks = DoctorChecks(store: store)
        let key = try directory.file("keyslots.plist", "")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        #expect(checks.directory().map(\.verdict) == [.ok, .ok])
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
        #expect(
            checks.directory().last
                == DoctorFinding(
                    .wrong, "files", "\(key) has mode 0640, which lets others in"))
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/socket", withDestinationPath: "/nowhere")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/lock", withDestinationPath: "/nowhere")
        #expect(
            checks.directory().dropFirst().map(\.text) == [
                "\(key) has mode 0640, which lets others in",
                "\(directory.path)/lock is a symbolic link, which is never followed",
            ])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: directory.path)
        #expect(checks.directory().map(\.verdict) == [.wrong])
        try FileManager.default.removeItem(atPath: directory.path)
        #expect(checks.directory().map(\.verdict) == [.ok])
    }
}
