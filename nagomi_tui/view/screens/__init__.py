"""The run view, the chat view with its prompt, the zoomed session, the judge's pane, and the bars around them."""
