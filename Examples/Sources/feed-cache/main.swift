// Keeps the posts of a timeline between two runs.
//
//     feed-cache add NAME <posts.json     [{"id": 1, "user": "zoe", "text": "…"}, …]
//     feed-cache show NAME
//     feed-cache clear NAME
import Archiving
import Foundation

/// How many posts are shown.
let shown = 10

func run(_ words: [String]) throws -> Int32 {
    guard words.count == 2 else {
        print("usage: feed-cache add|show|clear NAME")
        return 2
    }
    let feed = try Feed(named: words[1])
    switch words[0] {
    case "add":
        let answer = FileHandle.standardInput.readDataToEndOfFile()
        let posts = try JSONDecoder().decode([Post].self, from: answer)
        print("\(try feed.add(posts)) new of \(posts.count)")
    case "show":
        for post in try feed.newest(shown) { print("\(post.id)  \(post.user): \(post.text)") }
    case "clear":
        print(try feed.clear() ? "cleared" : "there was nothing")
    default:
        print("feed-cache has no \(words[0])")
        return 2
    }
    return 0
}

do {
    exit(try run(Array(CommandLine.arguments.dropFirst())))
} catch let error as ArchiveError {
    print("feed-cache: \(error)")
    exit(1)
} catch {
    print("feed-cache: that are no posts")
    exit(1)
}
