"""One module for each framework; import the one whose framework you have."""
