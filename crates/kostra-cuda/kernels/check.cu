KERNEL check_nothing() {}
