enum LinuxSystemTestsPlaceholder {}
