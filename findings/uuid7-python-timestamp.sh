#!/usr/bin/env bash
# uuid7 0.1.0 (PyPI) makes IDs that say "version 7", but keep their time elsewhere than RFC 9562. PostgreSQL 18 reads the year 2203.
# A natural guess: a package of this name makes the UUIDv7 of the standard, so IDs of other programs mix with its IDs in the order of time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target python uuid7==0.1.0
npm install --silent --no-audit --no-fund @electric-sql/pglite@0.5.17 # PostgreSQL 18

id=$(PYTHONPATH=python python3 - <<'PY'
from datetime import datetime, timezone
from uuid_extensions import uuid7

made = uuid7(int(datetime(2026, 11, 28, 12, tzinfo=timezone.utc).timestamp()) * 10**9)
assert made.version == 7
print(made)
PY
)
own=$(PYTHONPATH=python python3 -c "from uuid_extensions import uuid_to_datetime as of; print(of('$id').date())")
cat >read.cjs <<'JS'
const { PGlite } = require('@electric-sql/pglite')
;(async () => {
  const { rows } = await new PGlite().query(
    `select uuid_extract_version($1) as version, (uuid_extract_timestamp($1) at time zone 'UTC')::date::text as day,
       $1 > uuidv7(interval '100 years') as is_after, current_setting('server_version') as server`,
    [process.argv[2]],
  )
  const [{ version, day, is_after, server }] = rows
  console.log(`${version} ${day} ${is_after} ${server}`)
})()
JS
read -r version day isAfter server < <(node read.cjs "$id")
cat <<TEXT
uuid7 0.1.0 and PostgreSQL ${server%% *}: $id, made for 2026-11-28
Expected: both read version 7 and 2026-11-28, and the ID sorts before one that PostgreSQL makes for the time in a hundred years.
Seen: the version is $version; the date is $own for the package itself, $day for PostgreSQL;
      sorts after an ID of PostgreSQL for the time in a hundred years: $isAfter
Why it matters: the package follows a draft of 2021 with 36 bits of seconds, the standard has 48 bits of milliseconds. Alone it looks right. After a
move to Python 3.14's uuid.uuid7() or PostgreSQL's uuidv7(), new rows sort before all old ones: who reads on from the last ID misses them.
TEXT
[ "$version $own $day $isAfter" = '7 2026-11-28 2203-02-06 true' ]
