enum PropertyListTestsPlaceholder {}
