"""
Dashboards in the JSON of Grafana.

The only module that knows grafana-foundation-sdk, the library that Grafana Labs
generates from the schemas of Grafana. It is imported by whoever writes a dashboard
and by nobody else, because loading it takes a quarter of a second.

The library advises another model, v2, which old Grafanas do not read; the classic one
is read by all, Amazon Managed Grafana and the sidecar of Grafana's chart included.
"""

import json

from grafana_foundation_sdk.builders import common as builders
from grafana_foundation_sdk.builders import dashboard as frame
from grafana_foundation_sdk.builders import prometheus, stat, table, text, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common as looks
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.prometheus import PromQueryFormat
from grafana_foundation_sdk.models.text import TextMode

from .values import GRID, Dashboard, Level, Panel, Query, Section, Variable

__all__ = ["TAG", "written"]

TAG = "eks-jobs"
"""Tag of all dashboards, by which each finds the others."""

_SOURCE = looks.DataSourceRef(type_val="prometheus", uid="${datasource}")
_BELOW = Level(value=None, colour="green")

_Graph = timeseries.Panel | stat.Panel | table.Panel
_Variable = frame.CustomVariable | frame.DatasourceVariable | frame.QueryVariable


def written(dashboard: Dashboard) -> str:
    """
    Return a dashboard as a file that Grafana takes.

    Equal dashboards give equal bytes: ids are counted, and keys are sorted.

    Shape:
        The classic model of Grafana, which its sidecar, its import and its
        provisioning read.
    """
    made = (
        frame.Dashboard(dashboard.title)
        .uid(dashboard.name)
        .description(dashboard.description)
        .tags([TAG])
        .time(dashboard.begin, "now")
        .refresh(dashboard.refresh)
        .timezone("browser")
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .variables([_variable(one) for one in dashboard.variables])
        .link(_to_others())
    )
    number, top = 1, 0
    for section in dashboard.sections:
        made.with_row(_heading(section, number, top))
        number, top = number + 1, top + 1
        for panel, column, row in section.placed():
            made.with_panel(_panel(panel, number, column, top + row))
            number += 1
        top += section.height
    return f"{json.dumps(made.build(), cls=JSONEncoder, indent=1, sort_keys=True)}\n"


def _to_others() -> frame.DashboardLink:
    return (
        frame.DashboardLink("Jobs")
        .type(model.DashboardLinkType.DASHBOARDS)
        .tags([TAG])
        .include_vars(True)
        .keep_time(True)
    )


def _heading(section: Section, number: int, top: int) -> frame.Row:
    place = model.GridPos(x=0, y=top, w=GRID, h=1)
    return frame.Row(section.title).id(number).grid_pos(place)


def _variable(one: Variable) -> _Variable:
    if one.kind == "datasource":
        return frame.DatasourceVariable(one.name).label(one.title).type(one.values)
    if one.kind == "choice":
        return _choice(one)
    asked = (
        frame.QueryVariable(one.name)
        .label(one.title)
        .datasource(_SOURCE)
        .query(one.values)
        .definition(one.values)
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
        .multi(one.several)
        .include_all(one.several)
    )
    if one.several:
        # Everything at once, also what has no such label yet.
        asked.all_value(".*").current(_option("All", "$__all"))
    elif one.chosen is not None:
        asked.current(_option(one.chosen, one.chosen))
    return asked


def _choice(one: Variable) -> frame.CustomVariable:
    values = one.values.split(",")
    chosen = one.chosen or values[0]
    return (
        frame.CustomVariable(one.name)
        .label(one.title)
        .values(one.values)
        .options(
            [
                model.VariableOption(selected=each == chosen, text=each, value=each)
                for each in values
            ]
        )
        .current(_option(chosen, chosen))
        .allow_custom_value(True)
    )


def _option(title: str, value: str) -> model.VariableOption:
    return model.VariableOption(selected=True, text=title, value=value)


def _panel(panel: Panel, number: int, column: int, row: int) -> _Graph | text.Panel:
    place = model.GridPos(x=column, y=row, w=panel.width, h=panel.height)
    if panel.kind == "text":
        return (
            text.Panel()
            .id(number)
            .title(panel.title)
            .grid_pos(place)
            .mode(TextMode.MARKDOWN)
            .content(panel.description)
        )
    made = _LOOKS[panel.kind](panel)
    made.id(number).title(panel.title).description(panel.description)
    made.grid_pos(place).datasource(_SOURCE).unit(panel.queries[0].unit)
    made.thresholds(_thresholds(panel.levels))
    made.links([_link(*one) for one in panel.links.items()])
    for at, query in enumerate(panel.queries):
        made.with_target(_target(query, _letter(at), panel))
    if panel.empty is not None:
        made.no_value(panel.empty)
    return made


def _stat(panel: Panel) -> stat.Panel:
    last = builders.ReduceDataOptions().calcs(["lastNotNull"]).values(False)
    made = stat.Panel().reduce_options(last).graph_mode(looks.BigValueGraphMode.NONE)
    made.color_mode(looks.BigValueColorMode.BACKGROUND).color_scheme(_by_level())
    several = len(panel.queries) > 1
    made.text_mode(
        looks.BigValueTextMode.VALUE_AND_NAME
        if several
        else looks.BigValueTextMode.VALUE
    )
    return made


def _timeseries(panel: Panel) -> timeseries.Panel:
    legend = (
        builders.VizLegendOptions()
        .display_mode(looks.LegendDisplayMode.TABLE)
        .placement(looks.LegendPlacement.BOTTOM)
        .show_legend(True)
        .calcs(["lastNotNull", "max"])
    )
    tooltip = builders.VizTooltipOptions().mode(looks.TooltipDisplayMode.MULTI)
    tooltip.sort(looks.SortOrder.DESCENDING)
    made = timeseries.Panel().legend(legend).tooltip(tooltip).min(0).line_width(1)
    made.fill_opacity(10).show_points(looks.VisibilityMode.AUTO)
    if panel.levels:
        made.thresholds_style(
            builders.GraphThresholdsStyleConfig().mode(
                looks.GraphThresholdsStyleMode.DASHED
            )
        )
    return made


def _table(panel: Panel) -> table.Panel:
    """Join the answers to the queries by their labels, a row for each set of them."""
    made = table.Panel().show_header(True).filterable(True)
    values = {_value(at, panel): one for at, one in enumerate(panel.queries)}
    names = {**panel.columns, **{key: one.legend for key, one in values.items()}}
    made.with_transformation(model.DataTransformerConfig(id_val="merge", options={}))
    made.with_transformation(
        model.DataTransformerConfig(
            id_val="organize",
            options={
                "excludeByName": {"Time": True},
                "indexByName": {name: at for at, name in enumerate(names)},
                "renameByName": names,
            },
        )
    )
    for heading in panel.columns.values():
        made.override_by_name(heading, _label_cell(heading, panel))
    for one in panel.queries:
        made.override_by_name(one.legend, _value_cell(one))
    return made


_LOOKS = {"stat": _stat, "timeseries": _timeseries, "table": _table}


def _label_cell(heading: str, panel: Panel) -> list[model.DynamicConfigValue]:
    cell = [model.DynamicConfigValue(id_val="unit", value="string")]
    if heading in panel.cell_links:
        link = _link("Runbook", panel.cell_links[heading]).build()
        cell.append(model.DynamicConfigValue(id_val="links", value=[link]))
    return cell


def _value_cell(query: Query) -> list[model.DynamicConfigValue]:
    cell = [model.DynamicConfigValue(id_val="unit", value=query.unit)]
    if query.levels:
        background = looks.TableColoredBackgroundCellOptions(
            mode=looks.TableCellBackgroundDisplayMode.BASIC
        )
        cell += [
            model.DynamicConfigValue(
                id_val="thresholds", value=_thresholds(query.levels).build()
            ),
            model.DynamicConfigValue(id_val="color", value=_by_level().build()),
            model.DynamicConfigValue(id_val="custom.cellOptions", value=background),
        ]
    return cell


def _target(query: Query, letter: str, panel: Panel) -> prometheus.Dataquery:
    asked = prometheus.Dataquery().ref_id(letter).expr(query.expr)
    asked.legend_format(query.legend).datasource(_SOURCE)
    if panel.kind == "timeseries":
        return asked.range()
    asked.instant()
    if panel.kind == "table":
        asked.format(PromQueryFormat.TABLE)
    return asked


def _letter(at: int) -> str:
    return chr(ord("A") + at)


def _value(at: int, panel: Panel) -> str:
    """Return what Grafana calls the values of a query in a table."""
    return "Value" if len(panel.queries) == 1 else f"Value #{_letter(at)}"


def _thresholds(levels: tuple[Level, ...]) -> frame.ThresholdsConfig:
    begins = levels if levels and levels[0].value is None else (_BELOW, *levels)
    steps = [model.Threshold(value=one.value, color=one.colour) for one in begins]
    return frame.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(steps)


def _by_level() -> frame.FieldColor:
    return frame.FieldColor().mode(model.FieldColorModeId.THRESHOLDS)


def _link(title: str, address: str) -> frame.DashboardLink:
    return frame.DashboardLink(title).url(address).target_blank(True)
