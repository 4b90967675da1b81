#!/usr/bin/env bash
# postgres 3.4.9 (postgres.js) reads a NULL inside of an array as another value of its type: false, NaN, or the text 'NULL'.
# A natural guess: it is null in JavaScript, like a NULL that is not in an array, and as with pg.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# PGlite is PostgreSQL 18; it saves an installation.
npm install --silent --no-audit --no-fund postgres@3.4.9 pg@8.23.1 @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17

cat >read.cjs <<'JS'
const { inspect } = require('node:util')
const { PGlite } = require('@electric-sql/pglite')
const { PGLiteSocketServer } = require('@electric-sql/pglite-socket')
const { Client } = require('pg')
const postgres = require('postgres')

const text = `
  select array[true, null] as flags, array[1.5, null]::float8[] as numbers,
    (select array_agg(member.name) from (values ('a team')) team(name) left join (values ('Ada', 'b team')) member(name, team)
       on member.team = team.name) as members`
const show = (rows) => console.log(inspect({ ...rows[0] }, { breakLength: Infinity }))
;(async () => {
  const server = new PGLiteSocketServer({ db: await PGlite.create(), host: '127.0.0.1', port: 0 })
  await server.start()
  const url = `postgres://postgres@127.0.0.1:${server.server.address().port}/postgres`
  const client = new Client(url)
  await client.connect()
  show((await client.query(text)).rows)
  await client.end()
  const sql = postgres(url, { max: 1 })
  show(await sql.unsafe(text))
  await sql.end()
  process.exit()
})()
JS

{ read -r expected && read -r seen; } < <(node read.cjs)
cat <<TEXT
postgres 3.4.9 and pg 8.23.1 on Node $(node --version)
Expected, and read by pg: $expected
Seen:                     $seen
Why it matters: array_agg over a left join without a match is an array with one NULL, so a team without members has one of the name NULL, and an
unknown answer is a no. Nothing is logged. Filter in SQL, such as with "filter (where member.name is not null)", or let to_json() write the array.
TEXT
[ "$expected" = '{ flags: [ true, null ], numbers: [ 1.5, null ], members: [ null ] }' ] &&
  [ "$seen" = "{ flags: [ true, false ], numbers: [ 1.5, NaN ], members: [ 'NULL' ] }" ]
