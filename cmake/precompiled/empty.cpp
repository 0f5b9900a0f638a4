// A target that only parses headers needs a source.
