"""The front-end socket: clients let in, greeted and answered."""
