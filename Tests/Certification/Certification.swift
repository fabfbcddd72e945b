import Glibc
import LinuxSystem

/// A service and a client of `org.varlink.certification`, the test that Varlink implementations put
/// to each other, over this package's `Varlink`.
///
///     certification serve SOCKET      prints "ready" once it listens; serves until it is killed
///     certification call SOCKET       goes through all steps; 0 if the service passed, else 1
///     certification description       prints the interface file
@main
enum Certification {
    // One line, as in the programs: `main` is on the main actor.
    static func main() { exit(run(CommandLine.arguments)) }

    nonisolated private static func run(_ arguments: [String]) -> Int32 {
        do {
            switch (arguments.dropFirst().first, arguments.count) {
            case ("serve", 3):
                let server = try CertificationServer(path: arguments[2])
                try StandardStream.print("ready\n", to: StandardStream.output)
                try server.run()
            case ("call", 3):
                let client = try CertificationClient(path: arguments[2])
                try client.certify()
                try StandardStream.print("passed\n", to: StandardStream.output)
            case ("description", 2):
                try StandardStream.print(
                    CertificationInterface.description, to: StandardStream.output)
            default:
                return report("usage: certification serve SOCKET | call SOCKET | description")
            }
            return 0
        } catch { return report("\(error)") }
    }

    nonisolated private static func report(_ message: String) -> Int32 {
        try? StandardStream.print("certification: \(message)\n", to: StandardStream.error)
        return 1
    }
}

/// Why the other side is not certified; a sentence.
struct CertificationFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
