enum SealingPlaceholder {}
