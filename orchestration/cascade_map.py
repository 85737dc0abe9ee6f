"""The cascade map: recipes and what they start, watch and use, placed in columns so that arrows mostly point right.

Placing is plain arithmetic on rows; drawing is the template's. A recipe stands one column behind everything that starts
it; circles, which data from elsewhere may hold, are cut where they would begin again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from orchestration.models import Orchestration, Run
from synops.graph.models import Edge, Node

if TYPE_CHECKING:
    from synops.graph.access import Viewer

TRIGGERS, OBSERVES, USES = "triggers", "observes", "uses"
WIDTH, HEIGHT = 220, 56
GAP_X, GAP_Y, MARGIN = 90, 24, 16
MOST_RECIPES = 200


@dataclass(frozen=True)
class Box:
    """A recipe, a watched node or a tool at its place, in whole pixels: a decimal comma would break the drawing."""

    id: UUID
    kind: str
    title: str
    x: int
    y: int
    state: str = ""
    state_label: str = ""
    result: str = ""
    result_label: str = ""

    @property
    def text_x(self) -> int:
        return self.x + 12

    @property
    def title_y(self) -> int:
        return self.y + 23

    @property
    def note_y(self) -> int:
        return self.y + 43

    @property
    def short_title(self) -> str:
        return self.title if len(self.title) <= 28 else f"{self.title[:27]}…"


@dataclass(frozen=True)
class Arrow:
    """An edge from the right side of one box to the left side of another."""

    edge_id: UUID
    kind: str
    path: str
    source: str
    target: str


@dataclass
class Map:
    """Everything to draw. `edges` are the same arrows as a list, for those who do not see the picture."""

    width: int = 0
    height: int = 0
    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)


def cascade_map(user: Viewer) -> Map:
    """The map of the recipes that `user` may see, with the ends of their edges that they may see too."""
    recipes = {one.pk: one for one in Orchestration.objects.visible_to(user).order_by("title", "id")[:MOST_RECIPES]}
    edges = list(
        Edge.objects.filter(source_id__in=recipes, edge_type__in=(TRIGGERS, OBSERVES, USES)).order_by(
            "created_at", "id"
        )
    )
    others = Node.objects.visible_to(user).filter(pk__in={edge.target_id for edge in edges} - set(recipes))
    ends = {node.pk: node for node in others.only("id", "title", "node_kind")}
    shown = [edge for edge in edges if edge.target_id in recipes or edge.target_id in ends]
    return _drawn(_boxes(recipes, ends, shown, latest_results(recipes, user)), shown)


def latest_results(recipes: Collection[UUID], user: Viewer) -> dict[UUID, Run]:
    """Each recipe's last visible run. Index: runs_of_recipe."""
    runs = Run.objects.visible_to(user).filter(orchestration_id__in=recipes)
    latest = runs.order_by("orchestration_id", "-created_at", "-id").distinct("orchestration_id")
    return {run.orchestration_id: run for run in latest if run.orchestration_id}


def columns(ids: Iterable[UUID], starts: Mapping[UUID, Collection[UUID]]) -> dict[UUID, int]:
    """The column of each recipe: one more than the greatest of those that start it."""
    found: dict[UUID, int] = {}

    def column(id: UUID, above: frozenset[UUID]) -> int:
        if id not in found:
            before = [column(source, above | {id}) for source in starts.get(id, ()) if source not in above | {id}]
            found[id] = 1 + max(before, default=-1)
        return found[id]

    return {id: column(id, frozenset()) for id in ids}


def _boxes(
    recipes: Mapping[UUID, Orchestration], ends: Mapping[UUID, Node], edges: list[Edge], results: Mapping[UUID, Run]
) -> list[Box]:
    """Watched nodes stand left of all, recipes in their columns, tools right of all."""
    starts: dict[UUID, list[UUID]] = {}
    for edge in edges:
        if edge.edge_type == TRIGGERS:
            starts.setdefault(edge.target_id, []).append(edge.source_id)
    watched = {edge.target_id for edge in edges if edge.edge_type == OBSERVES} - set(recipes)
    shift = 1 if watched else 0
    placed = {id: column + shift for id, column in columns(recipes, starts).items()}
    last = 1 + max(placed.values(), default=0)
    placed |= {id: 0 for id in ends if id in watched} | {id: last for id in ends if id not in watched}
    rows: dict[int, int] = {}
    boxes = []
    for id, column in placed.items():
        row = rows[column] = rows.get(column, -1) + 1
        x, y = MARGIN + column * (WIDTH + GAP_X), MARGIN + row * (HEIGHT + GAP_Y)
        boxes.append(_recipe_box(recipes[id], x, y, results.get(id)) if id in recipes else _end_box(ends[id], x, y))
    return boxes


def _recipe_box(recipe: Orchestration, x: int, y: int, last: Run | None) -> Box:
    result, label = (last.status, str(last.get_status_display())) if last else ("", "")
    return Box(recipe.pk, "recipe", str(recipe), x, y, recipe.state.value, str(recipe.state.label), result, label)


def _end_box(node: Node, x: int, y: int) -> Box:
    return Box(node.pk, "tool" if node.node_kind == "cli_tool" else "node", str(node), x, y)


def _drawn(boxes: list[Box], edges: list[Edge]) -> Map:
    by_id = {box.id: box for box in boxes}
    arrows = [_arrow(edge, by_id[edge.source_id], by_id[edge.target_id]) for edge in edges]
    width = max((box.x for box in boxes), default=0) + WIDTH + MARGIN
    height = max((box.y for box in boxes), default=0) + HEIGHT + MARGIN
    return Map(width, height, boxes, arrows)


def _arrow(edge: Edge, source: Box, target: Box) -> Arrow:
    """A recipe watches what stands left of it; other arrows leave to the right."""
    back = target.x <= source.x
    x1, x2 = (source.x, target.x + WIDTH) if back else (source.x + WIDTH, target.x)
    y1, y2 = source.y + HEIGHT // 2, target.y + HEIGHT // 2
    bend = GAP_X // 2 * (-1 if back else 1)
    path = f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    return Arrow(edge.pk, edge.edge_type, path, source.title, target.title)
