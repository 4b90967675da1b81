import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { connect } from '../../src/connection/connect.ts'
import type { Driver, Statements } from '../../src/connection/driver.ts'

/** What is done to the server, with statements on a connection of its own. */
export type Trouble = (run: (text: string) => Promise<unknown[][]>) => Promise<unknown>

/** The sessions of the tortured connections. */
export const THEIRS = "pg_stat_activity where datname = current_database() and application_name = 'tortured'"

export const cancelOne: Trouble = (run) =>
  run(`select pg_cancel_backend(pid) from ${THEIRS} order by random() limit 1`)
export const cancelAll: Trouble = (run) => run(`select pg_cancel_backend(pid) from ${THEIRS}`)
export const terminateOne: Trouble = (run) =>
  run(`select pg_terminate_backend(pid) from ${THEIRS} order by random() limit 1`)

const CALLERS = 20
const STATEMENT_TIMEOUT_MS = 300

const LENGTH = 400
/** Takes a while, so that it can be cancelled in the middle. */
const LONG = `select n, case when n % 80 = 0 then pg_sleep(0.002)::text else repeat('x', 100) end as x
  from generate_series(1, $1::int) n`
const INSERT = 'insert into public.notes values ($1) returning id'

/** What became of the inserted rows. */
interface Record {
  readonly acknowledged: Set<string>
  readonly refused: Set<string>
  /** Of transactions whose connection was lost: all or none. */
  readonly unknown: (readonly string[])[]
  readonly wrong: string[]
  /** By code. */
  readonly errors: Map<string, number>
}

/**
 * Twenty callers read and write through ten connections, while there is trouble with the server. Nothing acknowledged is
 * missing, nothing refused is there, a transaction is whole, and each result is.
 */
export async function torture(url: string, durationMs: number, troubles: readonly Trouble[]): Promise<void> {
  const open = (application: string) =>
    connect({
      connectionString: `${url}?application_name=${application}`,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      idleInTransactionTimeoutMs: STATEMENT_TIMEOUT_MS,
    })
  const tortured = open('tortured')
  const calm = open('calm')
  await calm.driver.script('create table public.notes (id uuid primary key)')
  await tortured.ready()

  const record: Record = {
    acknowledged: new Set(),
    refused: new Set(),
    unknown: [],
    wrong: [],
    errors: new Map(),
  }
  const end = performance.now() + durationMs
  const isOver = () => performance.now() > end
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver()) await call(tortured.driver, record)
  })
  for (let turn = 0; !isOver(); turn += 1) {
    await troubles[turn % troubles.length]?.((text) => calm.driver.values(text, [], [])).catch(
      () => undefined,
    )
    await sleep(randomInt(10, 40))
  }
  await Promise.all(callers)
  await tortured.driver.end()

  await expect
    .poll(() => calm.driver.values(`select from ${THEIRS}`, [], []).then((rows) => rows.length))
    .toBe(0)
  const rows = await calm.driver.values('select id from public.notes', [], ['id'])
  const present = new Set(rows.map(([id]) => id))
  await calm.driver.end()
  const { acknowledged, refused, unknown, wrong, errors } = record
  expect(wrong.slice(0, 10), JSON.stringify([...errors])).toEqual([])
  expect([...acknowledged].filter((id) => !present.has(id))).toEqual([])
  expect([...refused].filter((id) => present.has(id))).toEqual([])
  expect(unknown.filter((ids) => new Set(ids.map((id) => present.has(id))).size > 1)).toEqual([])
  expect(acknowledged.size).toBeGreaterThan(0)
  expect(refused.size).toBeGreaterThan(0)
}

class OwnError extends Error {}

/** One call, at random. */
async function call(driver: Driver, record: Record): Promise<void> {
  const ids = Array.from({ length: randomInt(1, 4) }, () => randomUUID())
  try {
    await write(driver, ids)
    for (const id of ids) record.acknowledged.add(id)
  } catch (error) {
    const code = codeOf(error)
    record.errors.set(code, (record.errors.get(code) ?? 0) + 1)
    if (isRefusal(code)) for (const id of ids) record.refused.add(id)
    else record.unknown.push(ids)
  }
  const known = [...ids].filter((id) => record.acknowledged.has(id))
  for (const check of [() => read(driver), () => find(driver, known)]) {
    await check().then(
      (fault) => fault !== undefined && record.wrong.push(fault),
      (error: unknown) => /^[A-Z0-9_]+$/.test(codeOf(error)) || record.wrong.push(String(error)),
    )
  }
}

async function write(driver: Driver, ids: readonly string[]): Promise<void> {
  const [first = ''] = ids
  if (ids.length === 1) return insert(driver, first)
  await driver.begin(async (bound) => {
    const choice = randomInt(6)
    if (choice === 0) await bound.script('deallocate all')
    for (const id of ids) await insert(bound, id)
    // Something else than the database.
    if (choice === 1) await sleep(randomInt(3))
    if (choice === 2) await bound.script('deallocate all')
    if (choice === 3) throw new OwnError('the caller changed its mind')
    if (choice === 4) await bound.values('select 1 / (n - n) from generate_series(1, $1::int) n', [1], [])
  })
}

async function insert(statements: Statements, id: string): Promise<void> {
  const rows = await statements.values(INSERT, [id], [])
  expect([...rows]).toEqual([[id]])
}

/** A long result; at times one that fails in the middle. */
async function read(driver: Driver): Promise<string | undefined> {
  if (randomInt(3) === 0) {
    const failing = `select 1 / (n - ${randomInt(1, LENGTH)}) from generate_series(1, $1::int) n`
    await driver.values(failing, [LENGTH], [])
    return 'a statement that fails did not'
  }
  const rows = await driver.values(LONG, [LENGTH], [])
  const isWhole = rows.length === LENGTH && rows.every((row, index) => row?.[0] === index + 1)
  return isWhole ? undefined : `a result of ${rows.length} rows, the first of them ${JSON.stringify(rows[0])}`
}

async function find(driver: Driver, ids: readonly string[]): Promise<string | undefined> {
  for (const id of ids) {
    const rows = await driver.values('select id from public.notes where id = $1', [id], ['id'])
    if (rows.length !== 1 || rows[0]?.[0] !== id) return `not found: ${id}`
  }
  return undefined
}

const codeOf = (error: unknown) => (error instanceof OwnError ? 'own' : String(Object(error).code))

/** Whether PostgreSQL, or the caller, has certainly rolled the transaction back. Not after the end of a session. */
function isRefusal(code: string): boolean {
  return code === 'own' || (/^[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code))
}
