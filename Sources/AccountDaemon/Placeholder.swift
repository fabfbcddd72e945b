enum AccountDaemonPlaceholder {}
