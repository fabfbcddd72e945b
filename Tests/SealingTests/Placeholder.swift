enum SealingTestsPlaceholder {}
