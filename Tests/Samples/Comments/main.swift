import Archiving

/// Something to keep.
struct Post: Codable, Equatable {
    var id: Int
    var text: String
}

/// A sample did not do what its comment says.
struct Wrong: Error {}

/// Ends the program where a sample has not done what its comment says.
func check(_ isRight: Bool) throws { guard isRight else { throw Wrong() } }

try namedArchives([Post(id: 1, text: "Morning")])
try streams(try Archiver(), "timeline")
try cachedValue([Post(id: 2, text: "Noon")])
try severalTypes(try Archiver())
try registeredTypes(try Archiver())
try otherTypes(try Archiver())
print("all of them")
