"""A passive-liveness network of our own: does the camera see a person, or a reproduction of one?"""
