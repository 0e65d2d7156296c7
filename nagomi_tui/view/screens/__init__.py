"""The run view, the chat view and the zoomed session, with the bars around them."""
