import Foundation
import Testing

/// Stores with damaged files.
///
/// Each bit and each length is tried in the tests of `Sealing`; here it is what the programs make of
/// it.
@Suite(.needsPrograms, .timeLimit(.minutes(2)))
struct DamageTests {
    /// What is done to a file.
    enum Damage: String, CaseIterable, Sendable {
        case emptied, cut, shortByOne, longByOne, firstBit, middleBit, lastBit, zeros, removed

        func apply(to path: String) throws {
            let place = URL(fileURLWithPath: path)
            if self == .removed {
                try? FileManager.default.removeItem(at: place)
                return
            }
            var bytes = [UInt8](try Data(contentsOf: place))
            switch self {
            case .emptied: bytes = []
            case .cut: bytes.removeLast(bytes.count / 2)
            case .shortByOne: bytes.removeLast()
            case .longByOne: bytes.append(0)
            case .firstBit: bytes[0] ^= 1
            case .middleBit: bytes[bytes.count / 2] ^= 0x10
            case .lastBit: bytes[bytes.count - 1] ^= 0x80
            case .zeros: bytes = [UInt8](repeating: 0, count: bytes.count)
            case .removed: break
            }
            // In place, as a disk does it: the file keeps its mode.
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(bytes))
            try file.close()
        }
    }

    private static let older = "2.00theTokenBefore"

    /// A store that holds an account and its previous generation, and no daemon.
    private func with(_ body: (Home) throws -> Void) throws {
        try Home.with { home in
            for token in [Self.older, TokenText.token] {
                let login = try home.account(
                    "login", "--issued-at", "2026-01-01T00:00:00Z",
                    input: TokenText.response(token))
                try #require(login.status == 0)
            }
            try home.endDaemon()
            try body(home)
        }
    }

    private func expectDamaged(_ home: Home, _ parts: [String]) throws {
        for words in [["token"], ["header"], ["show"], ["check"], ["expires"], ["login"]] {
            let result = try home.run(
                [home.programs + "/account"] + words, input: Array(TokenText.response().utf8))
            #expect(result.status == 7, "\(words): \(result.errors)")
            #expect(result.output.isEmpty)
            #expect(result.errorLines.count <= 2)
            for part in parts {
                #expect(result.errors.contains(part), "\(words): \(result.errors)")
            }
        }
        #expect(try home.account("status", "--json").output.contains(#""state":"damaged""#))
    }

    /// What helps whatever the damage.
    private func expectWaysOut(_ home: Home, _ damage: () throws -> Void) throws {
        try home.endDaemon()
        try damage()
        let login = try home.account(
            "login", "--replace", input: TokenText.response(TokenText.other))
        #expect(login.status == 0, "\(login.errors)")
        #expect(try home.account("token").output == TokenText.other + "\n")
        #expect(try home.account("doctor").status == 0)
        try home.endDaemon()
        #expect(try home.account("token").output == TokenText.other + "\n")

        try home.endDaemon()
        try damage()
        let logout = try home.account("logout")
        #expect(logout.status == 0, "\(logout.errors)")
        for name in ["account.plist.sealed", "account.plist.sealed~"] {
            #expect(!FileManager.default.fileExists(atPath: home.state + "/" + name))
        }
    }

    @Test(
        "a damaged account file is exit 7, and the previous one can be brought back",
        arguments: Damage.allCases)
    func account(_ damage: Damage) throws {
        try with { home in
            try damage.apply(to: home.account)
            try expectDamaged(
                home,
                [
                    "account.plist.sealed", "doctor --repair", "uid 9900001001",
                    "2030-12-30T23:59:59Z",
                ])
            let repair = try home.account("doctor", "--repair")
            #expect(repair.status == 0, "\(repair.output)")
            #expect(repair.output.contains("Repaired; the account of uid 9900001001 is back."))
            #expect(try home.account("token").output == Self.older + "\n")
            #expect(try home.account("doctor").status == 0)
            try home.endDaemon(SIGKILL)
            #expect(try home.account("token").output == Self.older + "\n")
            // What was damaged is kept aside.
            let names = try FileManager.default.contentsOfDirectory(atPath: home.state)
            #expect(
                names.contains { $0.hasPrefix("account.plist.sealed.damaged-") }
                    == (damage != .removed))
            try expectWaysOut(home) { if damage != .removed { try damage.apply(to: home.account) } }
        }
    }

    @Test(
        "a damaged account file without a previous one leaves a new login",
        arguments: Damage.allCases.filter { $0 != .removed })
    func accountAlone(_ damage: Damage) throws {
        try with { home in
            try FileManager.default.removeItem(atPath: home.account + "~")
            try damage.apply(to: home.account)
            try expectDamaged(home, ["account.plist.sealed", "account login --replace"])
            let repair = try home.account("doctor", "--repair")
            #expect(repair.status == 7)
            #expect(repair.output.hasSuffix("Nothing could be repaired.\n"))
            try expectWaysOut(home) { try damage.apply(to: home.account) }
        }
    }

    @Test("damaged key slots are brought back from their copy", arguments: Damage.allCases)
    func slots(_ damage: Damage) throws {
        try with { home in
            let path = home.state + "/keyslots.plist"
            try damage.apply(to: path)
            try expectDamaged(home, ["keyslots.plist", "doctor --repair", "from its copy"])
            let repair = try home.account("doctor", "--repair")
            #expect(repair.status == 0, "\(repair.output)")
            #expect(try home.account("token").output == TokenText.token + "\n")
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: path))
                    == Data(contentsOf: URL(fileURLWithPath: path + "~")))
            try expectWaysOut(home) { try damage.apply(to: path) }
        }
    }

    @Test(
        "a damaged copy of the key slots is noticed by the doctor alone, and made again",
        arguments: Damage.allCases)
    func copy(_ damage: Damage) throws {
        try with { home in
            let path = home.state + "/keyslots.plist~"
            try damage.apply(to: path)
            #expect(try home.account("token").output == TokenText.token + "\n")
            let doctor = try home.account("doctor")
            #expect(doctor.status == 7)
            #expect(doctor.output.contains("keyslots.plist~"))
            let repair = try home.account("doctor", "--repair")
            #expect(repair.status == 0, "\(repair.output)")
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: path))
                    == Data(contentsOf: URL(fileURLWithPath: home.state + "/keyslots.plist")))
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }

    @Test(
        "key slots that are damaged with their copy never become new ones by themselves",
        arguments: Damage.allCases)
    func bothSlots(_ damage: Damage) throws {
        try with { home in
            func apply() throws {
                for name in ["/keyslots.plist", "/keyslots.plist~"] {
                    try damage.apply(to: home.state + name)
                }
            }
            try apply()
            let before = try Data(contentsOf: URL(fileURLWithPath: home.account))
            try expectDamaged(home, ["keyslots.plist", "account login --replace"])
            #expect(try home.account("doctor", "--repair").status == 7)
            #expect(try Data(contentsOf: URL(fileURLWithPath: home.account)) == before)
            try expectWaysOut(home, apply)
        }
    }

    @Test(
        "a file of the store that is a link or no file at all is not read",
        arguments: ["link", "directory", "fifo"])
    func kind(_ kind: String) throws {
        try with { home in
            let other = home.path + "/other"
            try FileManager.default.moveItem(atPath: home.account, toPath: other)
            let make = [
                "link": "ln -s \"$HOME/other\"", "directory": "mkdir", "fifo": "mkfifo -m 600",
            ]
            let made = try home.shell(
                "\(make[kind] ?? "") \"$ACCOUNT_STATE_DIR/account.plist.sealed\"")
            try #require(made.status == 0)
            try expectDamaged(home, ["account.plist.sealed"])
            let repair = try home.account("doctor", "--repair", timeout: 10)
            if kind == "directory" {
                // A directory cannot be put aside by a second name.
                #expect([7, 9].contains(repair.status))
            } else {
                #expect(repair.status == 0, "\(repair.output)\(repair.errors)")
                #expect(try home.account("token").output == Self.older + "\n")
                #expect(try home.account("doctor").status == 0)
            }
            #expect(FileManager.default.fileExists(atPath: other))
        }
    }

    @Test("a missing key file is exit 4 and nothing is damaged by it")
    func keyFile() throws {
        try with { home in
            let key = home.path + "/key"
            try FileManager.default.moveItem(atPath: home.keyFile, toPath: key)
            for words in [
                ["token"], ["show"], ["check"], ["login"], ["logout", "--if-uid", "9900001001"],
            ] {
                let result = try home.run(
                    [home.programs + "/account"] + words, input: Array(TokenText.response().utf8))
                #expect(result.status == 4)
                #expect(result.output.isEmpty)
                #expect(result.errorLines.last?.contains("account doctor") ?? false)
            }
            let doctor = try home.account("doctor")
            #expect(doctor.status == 7)
            #expect(doctor.output.contains("the key file \(home.keyFile) is missing; put it back"))
            #expect(!FileManager.default.fileExists(atPath: home.keyFile))
            try FileManager.default.moveItem(atPath: key, toPath: home.keyFile)
            #expect(try home.account("doctor", "--repair").status == 0)
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }

    @Test("another store's account file is not taken for this one's")
    func swapped() throws {
        try with { home in
            try Home.with { other in
                try #require(
                    other.account("login", input: TokenText.response(TokenText.other)).status == 0)
                try FileManager.default.removeItem(atPath: home.account)
                try FileManager.default.copyItem(atPath: other.account, toPath: home.account)
            }
            try expectDamaged(
                home, ["account.plist.sealed", "a key that this store does not hold"])
        }
    }
}
