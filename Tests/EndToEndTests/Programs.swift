import Foundation
import Testing

/// The programs under test, built before the tests are.
///
/// No test target depends on them: their linker settings would become the test bundle's.
enum Programs {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of all: `ACCOUNTD_TEST_BIN`, else `.build/release`, else that of the bundle.
    static let folder: String? = {
        let given = ProcessInfo.processInfo.environment["ACCOUNTD_TEST_BIN"]
        let bundle =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = ([bundle] + CommandLine.arguments).map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().path
        }
        let candidates = [given, root.appending(path: ".build/release").path].compactMap { $0 }
        return (candidates + beside).first { folder in
            ["account", "accountd", "account-import", "account-archive"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: folder + "/" + $0)
            }
        }
    }()

    /// Where the token responses are.
    static let responses = root.appending(path: "Tests/Vectors/responses").path
    /// Where the files are that apps wrote.
    static let archives = root.appending(path: "Tests/Vectors/archives").path
    /// Where the draft boxes and models are that apps archived.
    static let drafts = root.appending(path: "Tests/Vectors/drafts").path
    /// Where the command-line sessions are.
    static let transcripts = root.appending(path: "Tests/Transcripts").path
}

/// What a test needs that not every machine has.
extension Trait where Self == ConditionTrait {
    /// The programs.
    static var needsPrograms: Self {
        .enabled(if: Programs.folder != nil, "the programs are not built: scripts/build")
    }

    /// Root, for a second user and for mounting.
    static var needsRoot: Self { .enabled(if: geteuid() == 0, "needs root") }

    /// That no daemon of this user's own could be met at the usual places.
    static var needsUnusedPlaces: Self {
        .enabled(
            if: !FileManager.default.fileExists(atPath: "/run/user/\(geteuid())"),
            "this user has a runtime directory, where a daemon of theirs may listen")
    }

    /// Mounting.
    static var needsMounting: Self {
        .enabled(
            if: geteuid() == 0
                && (try? Launch.run(
                    ["/bin/sh", "-c", "unshare -m mount -t tmpfs none /mnt"],
                    environment: Home.bare
                ).status) == 0, "file systems cannot be mounted here")
    }

    /// A program of the system.
    static func needs(_ program: String) -> Self {
        .enabled(
            if: ["/bin/", "/usr/bin/", "/usr/sbin/"].contains {
                FileManager.default.isExecutableFile(atPath: $0 + program)
            }, "\(program) is not installed")
    }
}
