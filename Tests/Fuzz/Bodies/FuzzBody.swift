package import SecretMemory

/// A parser with what must hold of it for any input: what libFuzzer runs, and the tests run over the
/// corpora.
///
/// A body is made once and run for millions of inputs, which must not depend on one another: it keeps
/// its arena and its scratch, and nothing that an input has said.
package protocol FuzzBody: AnyObject {
    /// What `scripts/fuzz` and the folder of its corpus call it.
    static var name: String { get }
    /// Folders of Tests/Vectors whose files are among its inputs.
    static var vectors: [String] { get }
    /// Bytes of the longest input worth trying.
    static var maximumSize: Int { get }

    /// Where it has its secrets; all of them are given back between two inputs.
    var arena: SecretArena { get }

    init() throws

    /// Runs one input.
    ///
    /// - Throws: a `Violation` when something that must hold does not; anything else that is thrown
    ///   is a finding too.
    func run(_ input: Span<UInt8>) throws
}

extension FuzzBody {
    package static var vectors: [String] { [] }
    package static var maximumSize: Int { 4096 }

    /// Runs one input, and sees that no secret memory stays taken.
    package func check(_ input: Span<UInt8>) throws {
        let before = arena.used
        try run(input)
        try require(arena.used == before, "\(arena.used - before) bytes of the arena stay taken")
    }
}

/// Something that must hold does not.
package struct Violation: Error, CustomStringConvertible {
    /// What.
    package let description: String
}

/// Sees that something holds.
func require(
    _ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line
) throws(Violation) {
    if !condition { throw Violation(description: "line \(line): \(what())") }
}

/// All bodies by their names.
package enum Bodies {
    /// In the order in which they are run.
    package static var all: [any FuzzBody.Type] {
        [
            JSONBody.self, MessageBody.self, PropertyListBody.self, ArchiveBody.self,
            ImportBody.self, DraftsBody.self, StructArchiverBody.self, ValuesBody.self,
            AccountBody.self,
            ResponseBody.self, TimesBody.self, SealedBody.self, SlotsBody.self,
            RecoveryCodeBody.self, ReplyBody.self, ArgumentsBody.self, OutputBody.self,
            EnvironmentBody.self, UsersBody.self, PinentryBody.self, MemoryBody.self,
            ServiceBody.self,
        ]
    }

    /// What is made to be found: a run that does not find it shows nothing of the others either.
    package static var planted: any FuzzBody.Type { PlantedBody.self }

    /// The body of that name; nil when there is none.
    package static func named(_ name: String) -> (any FuzzBody.Type)? {
        (all + [planted]).first { $0.name == name }
    }
}
