"""People of a made-up hospital for the badges of `synthetic-fleet`."""

GIVEN = ["Ada", "Ben", "Cleo", "Dara", "Emil", "Fatou", "Greta", "Hugo", "Ines", "Jon", "Kaya", "Liam", "Mona", "Nils", "Oda", "Pia",
         "Quinn", "Rosa", "Sven", "Tara"]
FAMILIES = ["Berg", "Costa", "Dahl", "Evans", "Falk", "Gil", "Hahn", "Ito", "Jung", "Katz"]
ROLES = ["physician"] * 3 + ["nurse"] * 6 + ["therapist"] * 2 + ["cleaner"] + ["patient"] * 8


def people(count):
    """The text of a people.csv: twenty persons in each ward."""
    lines = ["serial,name,role,place"]
    for badge in range(count):
        ward, place = divmod(badge, 20)
        lines.append(f"F1EE7{badge:05},{GIVEN[place]} {FAMILIES[ward % 10]},{ROLES[place]},Ward {ward + 1}")
    return "\n".join(lines) + "\n"
