"""The course as a web site: the lessons as they are released, with the outputs of what is given."""
