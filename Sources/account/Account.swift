@main
enum Account {
    static func main() {}
}
