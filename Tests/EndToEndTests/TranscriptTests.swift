import Foundation
import Testing

/// Every file of Tests/Transcripts, command after command, in a home of its own.
@Suite(.needsPrograms, .timeLimit(.minutes(2)))
struct TranscriptTests {
    @Test("a session shows what its transcript says", arguments: Transcript.all)
    func session(_ transcript: Transcript) throws {
        try Home.with { home in
            for (name, vectors) in [
                ("responses", Programs.responses), ("archives", Programs.archives),
                ("drafts", Programs.drafts),
            ] {
                try FileManager.default.createSymbolicLink(
                    atPath: home.path + "/" + name, withDestinationPath: vectors)
            }
            for step in try transcript.steps() {
                let result = try home.shell("cd\n" + step.command)
                let output = Transcript.difference(
                    result.output, step.output, home: home.path)
                let errors = Transcript.difference(
                    result.errors, step.errors, home: home.path)
                guard output == nil, errors == nil, result.status == step.status else {
                    Issue.record(
                        """
                        \(transcript.name):\(step.line): $ \(step.command)
                        standard output \(output ?? "is as expected")
                        standard error \(errors ?? "is as expected")
                        status \(result.status), expected \(step.status)
                        """)
                    return
                }
            }
        }
    }

    @Test("there are transcripts")
    func complete() { #expect(Transcript.all.count > 5) }
}
