import time

from tests.services.http.driving import Api


def test_a_tournament_is_played(operator, anybody, app):
    t = operator.made(
        "/v1/tournaments",
        {
            "name": "Friday",
            "format": "sit_and_go",
            "capacity": 2,
            "seats_per_table": 2,
            "stack_points": 5,
            "between_hands_seconds": 0,
        },
    )
    tid = t["tournament_id"]
    players = {}
    for name in ("Ah Kit", "Bo Yi"):
        p = operator.made("/v1/players", {"name": name})["player_id"]
        players[p] = Api(app, operator.made(f"/v1/players/{p}/tokens")["token"])
        print(operator.made(f"/v1/tournaments/{tid}/entries", {"player_id": p}))
    give_up = time.monotonic() + 20
    while anybody.read(f"/v1/tournaments/{tid}")["state"] != "finished" and time.monotonic() < give_up:
        for table in anybody.read(f"/v1/tournaments/{tid}/tables")["items"]:
            if table["hand_id"]:
                hand = anybody.read(f"/v1/hands/{table['hand_id']}")
                if hand["turn"]:
                    who = next(s["player_id"] for s in hand["seats"] if s["seat"] == hand["turn"]["seat"])
                    api = players[who]
                    legal = api.read(f"/v1/hands/{hand['hand_id']}/legal-plays")
                    if legal["turn"] != hand["turn"]["number"]:
                        continue
                    if legal["items"]:
                        r = api.post(
                            f"/v1/hands/{hand['hand_id']}/plays",
                            {"turn": legal["turn"], "cards": legal["items"][0]["cards"]},
                        )
                    else:
                        r = api.post(f"/v1/hands/{hand['hand_id']}/passes", {"turn": legal["turn"]})
                    assert r.status_code == 201, r.text
    for path in ("", "/standings", "/tables", "/prizes", "/hands", "/entries", "/standings?format=csv"):
        print(anybody.get(f"/v1/tournaments/{tid}{path}").text[:600])
    h = anybody.read(f"/v1/tournaments/{tid}/hands")["items"][0]["hand_id"]
    print(anybody.get(f"/v1/hands/{h}/history").text)
    print(anybody.get(f"/v1/hands/{h}").text[:1000])
