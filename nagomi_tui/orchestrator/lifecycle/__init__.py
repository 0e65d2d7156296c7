"""How sessions begin, end, and are taken over from workers."""
