#!/usr/bin/env bash
# The transactions of four clients of PostgreSQL resolve although PostgreSQL has rolled them back. Kysely 0.29.9 rejects.
# A natural guess: if `await transaction(…)` resolves, its work is committed; PostgreSQL refuses to commit a transaction with a failed statement.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# PGlite is PostgreSQL 18; it saves an installation.
npm install --silent --no-audit --no-fund @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 \
  knex@3.3.0 pg-promise@12.7.1 typeorm@1.1.1 drizzle-orm@0.45.4 kysely@0.29.9

cat >transactions.cjs <<'JS'
const { PGlite } = require('@electric-sql/pglite')
const { PGLiteSocketServer } = require('@electric-sql/pglite-socket')
const pg = require('pg')

const clients = {
  knex: (url) => {
    const knex = require('knex')({ client: 'pg', connection: url })
    return (work) => knex.transaction((tx) => work((text) => tx.raw(text)))
  },
  'pg-promise': (url) => {
    const db = require('pg-promise')()(url)
    return (work) => db.tx((tx) => work((text) => tx.none(text)))
  },
  typeorm: async (url) => {
    const source = await new (require('typeorm').DataSource)({ type: 'postgres', url }).initialize()
    return (work) => source.transaction((tx) => work((text) => tx.query(text)))
  },
  'drizzle-orm': (url) => {
    const db = require('drizzle-orm/node-postgres').drizzle(url)
    return (work) => db.transaction((tx) => work((text) => tx.execute(text)))
  },
  kysely: (url) => {
    const { Kysely, PostgresDialect, sql } = require('kysely')
    const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) })
    return (work) => db.transaction().execute((tx) => work((text) => sql.raw(text).execute(tx)))
  },
}

;(async () => {
  const server = new PGLiteSocketServer({ db: await PGlite.create(), host: '127.0.0.1', port: 0, maxConnections: 10 })
  await server.start()
  const url = `postgres://postgres@127.0.0.1:${server.server.address().port}/postgres`
  const own = new pg.Client(url)
  await own.connect()
  await own.query("create table seen (id text primary key); insert into seen values ('event 1'); create table orders (client text)")
  for (const [name, connect] of Object.entries(clients)) {
    const transaction = await connect(url)
    const end = transaction(async (run) => {
      await run(`insert into orders values ('${name}')`)
      await run("insert into seen values ('event 1')").catch(() => {}) // A duplicate is fine.
    })
    const outcome = await end.then(() => 'resolved', (error) => error.message)
    const { rows } = await own.query('select from orders where client = $1', [name])
    console.log(`${name}: ${outcome}, orders: ${rows.length}`)
  }
  process.exit()
})()
JS

seen=$(node transactions.cjs)
cat <<TEXT
knex 3.3.0, pg-promise 12.7.1, typeorm 1.1.1, drizzle-orm 0.45.4, kysely 0.29.9 with pg 8.23.1 on Node $(node --version)
Expected: each transaction rejects, or its order is there.
Seen:
$seen
Why it matters: the code catches the violation of a unique constraint as harmless, but it has aborted the transaction. PostgreSQL answers COMMIT
with the tag ROLLBACK, which is no error, and of these five only Kysely looks at the tag. A receiver of webhooks then acknowledges an event whose
work is lost. "on conflict do nothing" raises no error; a savepoint around the statement keeps the rest.
TEXT
[ "$seen" = 'knex: resolved, orders: 0
pg-promise: resolved, orders: 0
typeorm: resolved, orders: 0
drizzle-orm: resolved, orders: 0
kysely: Transaction was rolled back instead of committed, orders: 0' ]
