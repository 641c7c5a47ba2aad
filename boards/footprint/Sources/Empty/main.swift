// The start-up code and nothing else.
