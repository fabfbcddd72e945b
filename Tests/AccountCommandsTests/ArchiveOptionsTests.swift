import Testing

@testable import AccountCommands

/// What may stand on the command lines of `account archive` and `account draft`.
@Suite struct ArchiveOptionsTests {
    private static func archive(_ words: [String]) throws -> ArchiveOptions {
        try CommandRun.withArguments(words) { arguments in
            var invocation = Invocation(arguments, StandardDescriptors())
            return try ArchiveOptions(&invocation)
        }
    }

    private static func draft(_ words: [String]) throws -> DraftOptions {
        try CommandRun.withArguments(words) { arguments in
            var invocation = Invocation(arguments, StandardDescriptors())
            return try DraftOptions(&invocation)
        }
    }

    @Test("what is given is taken")
    func archives() throws {
        let get = try Self.archive([
            "get", "a b", "--raw", "--output", "f", "--force", "--previous",
        ])
        #expect(get.action == .get && get.name == "a b" && get.output == "f")
        #expect(get.isRaw && get.isForced && get.isPrevious)
        let imported = try Self.archive([
            "--key", "k", "import", "f", "--as", "n", "--dry-run", "--json",
        ])
        #expect(imported.action == .import && imported.source == "f" && imported.name == "n")
        #expect(imported.key == "k" && imported.isDryRun && imported.isJSON)
        #expect(try Self.archive(["import", "f", "--dry-run"]).name.isEmpty)
        #expect(try Self.archive(["remove", "--", "-x"]).name == "-x")
        #expect(try Self.archive(["list", "--json"]).isJSON)
        #expect(try Self.archive(["reseal"]).action == .reseal)
        #expect(try Self.archive(["restore", "a"]).name == "a")
    }

    @Test("what is given of a draft is taken")
    func drafts() throws {
        let add = try Self.draft([
            "add", "--title", "t", "--text", "-", "--picture", "a", "--picture", "b",
            "--original-photo",
        ])
        #expect(add.action == .add && add.title == "t" && add.text == "-")
        #expect(add.pictures == ["a", "b"] && add.isOriginalPhoto == true)
        let edit = try Self.draft(["edit", "3", "--no-pictures", "--no-original-photo"])
        #expect(edit.draft == "3" && edit.removesPictures && edit.isOriginalPhoto == false)
        #expect(try Self.draft(["export", "1", "--output", "d"]).output == "d")
        #expect(try Self.draft(["import", "f", "--dry-run", "--json"]).source == "f")
        #expect(try Self.draft(["add", "--title", ""]).title?.isEmpty == true)
    }

    @Test(
        "what makes no sense is refused",
        arguments: [
            ["archive"], ["archive", "frob"], ["archive", "put"], ["archive", "get", "a", "b"],
            ["archive", "list", "a"], ["archive", "reseal", "a"], ["archive", "import", "f"],
            ["archive", "import", "--as", "n"], ["archive", "put", "a", "--output", "f"],
            ["archive", "list", "--raw"], ["archive", "get", "a", "--as", "b"],
            ["archive", "get", "a", "--force"], ["archive", "put", "a", "--previous"],
            ["archive", "get", "a", "--key", "k"], ["archive", "put", "a", "--json"],
            ["archive", "get", "a", "--dry-run"], ["archive", "get", "a", "--output", ""],
            ["draft"], ["draft", "frob"], ["draft", "add"], ["draft", "show"],
            ["draft", "edit", "1"], ["draft", "list", "1"], ["draft", "export", "1"],
            ["draft", "show", "1", "--title", "t"], ["draft", "list", "--text", "f"],
            ["draft", "remove", "1", "--picture", "f"], ["draft", "add", "--title", "t", "--json"],
            ["draft", "add", "--title", "t", "--no-pictures"], ["draft", "import"],
            ["draft", "add", "--title", "t", "--no-original-photo"],
            ["draft", "show", "1", "--output", "d"], ["draft", "list", "--dry-run"],
            ["draft", "show", "1", "--original-photo"],
        ])
    func refused(words: [String]) throws {
        let run = try CommandRun(words + ["--socket", "/nonexistent/socket"])
        #expect(run.status == .usage, "\(run.errors)")
        #expect(run.output.isEmpty)
    }
}
