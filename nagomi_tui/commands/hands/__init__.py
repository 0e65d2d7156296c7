"""Commands about hands: what they are, and files that go there."""
