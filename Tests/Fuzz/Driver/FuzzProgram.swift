import FuzzBodies
import Glibc
import LinuxSystem

/// libFuzzer around one body: `fuzz --body=NAME`, then whatever libFuzzer takes.
@main
enum FuzzProgram {
    static func main() { exit(run()) }

    // Made before libFuzzer starts, and read by its one thread alone.
    nonisolated(unsafe) fileprivate static var body: (any FuzzBody)?

    nonisolated static func run() -> CInt {
        // Options with two dashes are not libFuzzer's; it hands them on to the processes it starts.
        let option = "--body="
        guard let chosen = CommandLine.arguments.first(where: { $0.hasPrefix(option) }),
            let type = Bodies.named(String(chosen.dropFirst(option.count)))
        else {
            for body in Bodies.all {
                let line = [body.name, "\(body.maximumSize)"] + body.vectors
                print(line.joined(separator: " "))
            }
            return CommandLine.argc > 1 ? 2 : 0
        }
        do { unsafe body = try type.init() } catch { end("the body cannot be made: \(error)") }
        // SAFETY: the arguments live as long as the process.
        var count = CommandLine.argc
        var words = unsafe CommandLine.unsafeArgv
        return unsafe runDriver(&count, &words, testOneInput)
    }

    nonisolated fileprivate static func run(
        _ body: any FuzzBody, _ input: Span<UInt8>
    ) {
        do { try body.check(input) } catch { end("\(error)") }
    }

    nonisolated fileprivate static func end(_ why: String) -> Never {
        try? StandardStream.print("\nfinding: \(why)\n", to: StandardStream.error)
        abort()
    }
}

// FuzzerInterface.h of LLVM: libFuzzer's own main, as a function.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs one input; libFuzzer wants it by this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let body = unsafe FuzzProgram.body else { FuzzProgram.end("no body was chosen") }
    // SAFETY: libFuzzer lends `count` bytes, in a block of their own, for the length of the call.
    let input = unsafe UnsafeBufferPointer(start: start, count: count)
    FuzzProgram.run(body, unsafe input.span)
    return 0
}
