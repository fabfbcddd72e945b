// Writes posts for later, and sends them: here, to standard output.
//
//     draft-box write TITLE TEXT [PICTURE ...]
//     draft-box list
//     draft-box send N
//
// `account draft` has the same box.
import Archiving
import Foundation

func write(_ words: ArraySlice<String>, into box: DraftBox) throws {
    let words = Array(words)
    let pictures = try words.dropFirst(2).map { try Data(contentsOf: URL(filePath: $0)) }
    try box.save(
        Draft(title: words[0], text: words[1], time: Draft.wallTime(), pictures: pictures))
    print("kept")
}

func list(_ box: DraftBox) throws {
    for (number, draft) in try box.drafts().enumerated() {
        print("\(number + 1)  \(draft.title), \(draft.pictures.count) pictures")
    }
}

// The draft goes when it was sent, and not before: if that fails it is still there. That it is removed by
// its id, and not by its number, matters when somebody else has written one meanwhile.
func send(_ number: Int, from box: DraftBox) throws -> Bool {
    let drafts = try box.drafts()
    guard drafts.indices.contains(number - 1) else { return false }
    let draft = drafts[number - 1]
    print("sent: \(draft.text ?? draft.title)")
    try box.remove(id: draft.id)
    return true
}

func run(_ words: [String]) throws -> Int32 {
    let box = DraftBox(in: try Archiver())
    switch (words.first, words.count) {
    case ("write", 3...): try write(words.dropFirst(), into: box)
    case ("list", 1): try list(box)
    case ("send", 2):
        guard let number = Int(words[1]), try send(number, from: box) else {
            print("there is no draft \(words[1])")
            return 3
        }
    default:
        print("usage: draft-box write TITLE TEXT [PICTURE ...] | list | send N")
        return 2
    }
    return 0
}

do {
    exit(try run(Array(CommandLine.arguments.dropFirst())))
} catch {
    print("draft-box: \(error)")
    exit(1)
}
