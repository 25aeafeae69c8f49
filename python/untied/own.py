"""Your own measures: a function of one ranking, or gains and discounts; and plugins, modules that define measures."""

from untied.measures.own import additive_measure, load_plugin, measure

__all__ = ["additive_measure", "load_plugin", "measure"]
