"""What front ends show of sessions: views, their sizes, and when each gets a frame."""
