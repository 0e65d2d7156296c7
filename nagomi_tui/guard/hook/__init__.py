"""The program that clients ask before each tool: it decides, and fails closed."""
