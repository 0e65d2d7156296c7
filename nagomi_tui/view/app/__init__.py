"""The Textual application: composed, started, and told what happens."""
