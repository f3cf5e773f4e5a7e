"""The displays that work a result out by themselves are left out while a notebook is marked."""

from helpers.quiet import shows

show_layer_norm = shows("displays", "show_layer_norm", "LayerNorm row by row")
show_relu = shows("displays", "show_relu", "ReLU row by row")
show_softmax = shows("displays", "show_softmax", "A softmax, score by score,")
