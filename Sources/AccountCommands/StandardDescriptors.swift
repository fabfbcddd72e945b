/// Where a command reads and writes.
struct StandardDescriptors: Sendable {
    var input: Int32 = 0
    var output: Int32 = 1
    var error: Int32 = 2
}
