enum LinuxSystemPlaceholder {}
