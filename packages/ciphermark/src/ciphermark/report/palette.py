"""Colours and shapes of the charts, each colour in a light and a dark version.

A chart is drawn in the light colours; in the dark the page's style sheet replaces them by their
partners, so they must all be distinct. Every arm has a shape and a dash of its own beside its
colour, and its name stands at its curve: nothing is told by colour alone. All colours of arms have
a contrast of at least 4.5 to the page, since the names at the curves are set in them.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BAND", "GRID", "INK", "MUTED", "STYLES", "Colour", "Style", "colours", "style_of"]


@dataclass(frozen=True, slots=True)
class Colour:
    """One colour by day and by night."""

    light: str
    dark: str


@dataclass(frozen=True, slots=True)
class Style:
    """How an arm is drawn: `shape` is Vega's name, `dash` lengths of line and gap."""

    colour: Colour
    shape: str
    dash: tuple[int, ...]


INK = Colour("#20242a", "#e4e7eb")
MUTED = Colour("#5b626c", "#a3abb6")
GRID = Colour("#e3e5e8", "#31363e")
BAND = Colour("#e9ecf0", "#282d35")
SOLID = (1, 0)

CONTROL = Style(Colour("#40464e", "#cdd2d9"), "circle", SOLID)
REPEAT = Style(Colour("#6d747e", "#949ca7"), "circle", (3, 3))
STYLES = (
    Style(Colour("#1d6ab0", "#6fb4f3"), "square", SOLID),
    Style(Colour("#bd4a17", "#f3946a"), "diamond", (7, 3)),
    Style(Colour("#157455", "#5ccb9f"), "triangle-up", (2, 2)),
    Style(Colour("#8444a0", "#cda2e6"), "triangle-down", (9, 3, 2, 3)),
    Style(Colour("#856106", "#dfbb50"), "cross", (5, 2)),
    Style(Colour("#b02d63", "#f48bb3"), "triangle-right", (1, 3)),
    Style(Colour("#0d7085", "#61cbdf"), "triangle-left", (12, 4)),
    Style(Colour("#6b4a33", "#cfac93"), "square", (4, 2, 1, 2)),
)


def style_of(position: int) -> Style:
    """The style of the arm at a position among the compared arms; they repeat after eight."""
    return STYLES[position % len(STYLES)]


def colours() -> tuple[Colour, ...]:
    """Every colour that a chart may hold."""
    arms = (CONTROL, REPEAT, *STYLES)
    return (INK, MUTED, GRID, BAND, *(style.colour for style in arms))
