import Glibc
import LinuxSystem
import Testing

@Suite struct ClockTests {
    @Test("the clocks go forth")
    func clocks() {
        let before = (Clock.monotonicMilliseconds(), Clock.boottimeMilliseconds())
        let time = Clock.realtime()
        usleep(20_000)
        #expect(Clock.monotonicMilliseconds() - before.0 >= 19)
        #expect(Clock.boottimeMilliseconds() - before.1 >= 19)
        #expect(Clock.boottimeMilliseconds() + 1 >= Clock.monotonicMilliseconds())
        #expect((0..<1_000_000_000).contains(time.nanoseconds))
        #expect(abs(time.seconds - Int64(Glibc.time(nil))) <= 1)
    }
}
