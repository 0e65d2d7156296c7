"""What the model may ask for: reading freely, acting only with the user's consent."""
