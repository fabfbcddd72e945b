@main
enum Daemon {
    static func main() {}
}
