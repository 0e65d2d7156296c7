"""What agents have in common on their screens, read by form: a field to type in, and what moves."""
