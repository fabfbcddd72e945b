enum AccountDaemonTestsPlaceholder {}
