"""The report is one page that needs nothing else, and shows names as text whatever they hold."""

import base64
import hashlib
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.shell import kiery
from tests.referee.evenings import Evening, stored

from kiery.cli.report.chart import Scale, lines
from kiery.cli.report.element import element, name_of

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<svg/onload=alert(1)>", '"><script>x</script>', "שלום ABC", "& 'quoted' & so on " + "x" * 40]


def report(store: str, folder: Path, *options: str) -> str:
    said = kiery("tournament", "export", "cup", "--out", folder, "--store", store, *options)
    assert said.status == 0, said
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a finished tournament of four with hostile names."""
    folder = tmp_path_factory.mktemp("report")
    entrants = [{"name": name, "owner": "<b>"} for name in HOSTILE]
    evening = Evening("", entrants=entrants, deals_per_bot=1, forfeits={1: 2})
    return report(stored(evening, folder), folder, "--luck")


def test_report_is_well_formed_and_holds_every_section(page: str) -> None:
    root = ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))

    sections = [section.get("id") for section in root.iter(f"{HTML}section")]

    assert sections == "standings cross history seats think moons luck faults schedule proof".split()
    assert len(list(root.iter(f"{SVG}svg"))) >= 4 + 5
    links = [link.get("href", "") for link in root.iter(f"{HTML}a")]
    assert links == [f"#{name}" for name in sections]


def test_hostile_names_are_text(page: str) -> None:
    root = ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))

    texts = {"".join(item.itertext()) for item in root.iter(f"{HTML}bdi")}

    assert set(HOSTILE) <= texts
    assert not list(root.iter(f"{HTML}script"))
    for item in root.iter():
        assert not [name for name in item.attrib if name.startswith("on") or name == "style"]


def test_report_refers_to_nothing_outside_and_forbids_it(page: str) -> None:
    root = ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))

    (policy,) = [meta.get("content") for meta in root.iter(f"{HTML}meta") if meta.get("http-equiv")]
    (style,) = root.iter(f"{HTML}style")
    digest = base64.b64encode(hashlib.sha256((style.text or "").encode()).digest()).decode()

    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert set(re.findall(r"https?://[^\"' <]+", page)) == {
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/2000/svg",
    }
    assert "url(" not in page
    assert "@import" not in page
    for item in root.iter():
        assert item.tag.rpartition("}")[2] not in {"link", "img", "iframe", "object", "embed", "image", "use"}
        assert not item.get("src")


def test_style_holds_nothing_that_a_browser_reads_otherwise_than_xml(page: str) -> None:
    style = page.partition("<style>")[2].partition("</style>")[0]

    assert not set("<&>") & set(style)


def test_report_of_a_tournament_without_a_result_is_a_page_too(tmp_path: Path) -> None:
    evening = Evening("a b c d", deals_per_bot=1)
    evening.attempts.clear()

    page = report(stored(evening, tmp_path, over=False), tmp_path)

    ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    assert "published when the tournament is over" in page


@pytest.mark.parametrize(
    ("names", "values"),
    [
        ("a b c d", {"sharing": "laps", "deals_per_bot": 1}),
        ("a b", {"format": "match", "deals_per_bot": 24}),
        ("a b c d e", {"format": "ladder", "tables_budget": 2}),
        ("a b c", {"deals_per_bot": 1, "rules": {"preset": "spot_hearts", "players": 4}}),
    ],
)
def test_report_knows_every_format(names: str, values: dict[str, object], tmp_path: Path) -> None:
    page = report(stored(Evening(names, **values), tmp_path), tmp_path)

    root = ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    assert ("leak" in [section.get("id") for section in root.iter(f"{HTML}section")]) is ("sharing" in values)


def test_elements_escape_text_and_attributes_once() -> None:
    assert element("p", "<&>", name_of("a"), class_='"x"', aria_label=None) == (
        '<p class="&quot;x&quot;">&lt;&amp;&gt;<bdi>a</bdi></p>'
    )


def test_control_characters_do_not_reach_the_page() -> None:
    assert element("p", "a\x00b\x1b\u202ec") == "<p>a\ufffdb\ufffd\ufffdc</p>"


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([-4.9, 4.4], [-6, -4, -2, 0, 2, 4, 6]),
        ([0.1, 0.4], [0, 0.1, 0.2, 0.3, 0.4]),
        ([], [-1, -0.5, 0, 0.5, 1]),
    ],
)
def test_scales_cover_the_values_in_round_steps(values: list[float], ticks: list[float]) -> None:
    scale = Scale.around(values, 0, 100)

    assert scale.ticks() == ticks
    assert scale.at(ticks[0]) == 0
    assert scale.at(ticks[-1]) == 100


def test_a_picture_without_lines_can_be_drawn() -> None:
    assert ET.fromstring(lines([], "nothing", caption="deals")).tag == f"{SVG}svg"
