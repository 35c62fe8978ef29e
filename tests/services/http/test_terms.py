"""A tournament's terms as a page that asks no other host for anything; and a name that is erased over HTTP."""

from __future__ import annotations

import json
import re

from click.testing import CliRunner

from tests.services.http.playing import Game
from workers.cli import main


def test_the_terms_are_a_page_of_html_without_another_host(app, operator, anybody):
    game = Game(app, operator, entrants=0, name="<b>Friday</b>")
    answer = anybody.get(f"{game.path}/terms")
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    assert "<h1>&lt;b&gt;Friday&lt;/b&gt;</h1>" in answer.text
    assert "<h2>Where the money comes from</h2>" in answer.text
    assert not re.search(r"(src|href|url|@import|https?:)", answer.text.split("</style>")[1])
    [policy] = answer.headers.getlist("Content-Security-Policy")
    assert "style-src 'unsafe-inline'" in policy
    assert answer.headers["ETag"]


def test_and_of_markdown_for_whoever_asks_for_that(app, operator, anybody):
    game = Game(app, operator, entrants=0, name="Friday_1")
    asked = anybody.get(f"{game.path}/terms?format=markdown")
    preferred = anybody.get(f"{game.path}/terms", headers={"Accept": "text/markdown"})
    assert asked.mimetype == preferred.mimetype == "text/markdown"
    assert asked.text == preferred.text
    assert asked.text.startswith("# Friday\\_1\n\n## The tournament\n\n- ")
    assert "## The game: Settlement" in asked.text


def test_the_command_prints_the_page_that_the_service_would(app, operator, anybody, tmp_path):
    game = Game(app, operator, entrants=0)
    terms = {
        "name": "Friday",
        "format": "sit_and_go",
        "capacity": 4,
        "between_hands_seconds": 0,
        "turn_seconds": 600,
    }
    file = tmp_path / "friday.json"
    file.write_text(json.dumps(terms))
    for format_, option in (("markdown", []), ("html", ["--html"])):
        printed = CliRunner().invoke(main, ["terms", str(file), *option])
        assert printed.exit_code == 0
        assert printed.stdout.rstrip() == anybody.get(f"{game.path}/terms?format={format_}").text.rstrip()


def test_the_command_tells_all_that_is_wrong_with_a_structure(tmp_path):
    file = tmp_path / "wrong.json"
    for text, told in (
        ("{", "is not JSON"),
        ('{"format": "sit_and_go"}', "/name: is missing"),
        ('{"name": "F", "format": "freezeout", "seats_per_table": 2}', "/seats_per_table"),
        ('{"name": "F", "format": "freezeout", "rules": "club@1"}', "/rules: name a preset"),
    ):
        file.write_text(text)
        found = CliRunner().invoke(main, ["terms", str(file)])
        assert (found.exit_code, told in found.stderr) == (2, True), found.stderr
    assert CliRunner().invoke(main, ["terms", str(tmp_path / "missing.json")]).exit_code == 2


def test_an_admin_erases_a_name_and_it_is_free_again(admin, operator, anybody):
    player = operator.made("/v1/players", {"name": "Erasmus"})["player_id"]
    assert operator.delete(f"/v1/players/{player}/name").status_code == 403
    for _ in range(2):
        assert admin.delete(f"/v1/players/{player}/name").status_code == 204
    assert anybody.read(f"/v1/players/{player}")["name"] == "(erased)"
    assert operator.made("/v1/players", {"name": "Erasmus"})["player_id"] != player
    missing = admin.delete("/v1/players/00000000-0000-5000-8000-000000000000/name")
    assert missing.status_code == 404
