"""The command line: arguments, files, what people see, and `main`."""
