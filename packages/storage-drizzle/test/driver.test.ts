import { inspect } from 'node:util'
import { expect, inject, it } from 'vitest'
import connectTo from '#driver'

it('A completed query releases its parameters', async () => {
  const sql = connectTo(inject('postgresUrl'), { max: 1 })
  const query = sql.unsafe('select length($1) as length', ['all that was sent'])

  expect(inspect(query)).toContain('all that was sent')
  expect(await query).toEqual([{ length: 17 }])
  expect(inspect(query)).not.toContain('all that was sent')
  await sql.end()
})

it('Statements pipelined behind a lost prepared statement get their own results', async () => {
  const sql = connectTo(inject('postgresUrl'), { max: 1, fetch_types: false })
  const ask = (n: number) =>
    sql.unsafe('select $1::int as n, $2::bytea as bytes', [n, Buffer.from([n])], { prepare: true })
  const other = (n: number) => sql.unsafe('select $1::text as other', [String(n)], { prepare: true })
  const expected = (n: number) => [{ n, bytes: Buffer.from([n]) }]
  expect(await ask(0)).toEqual(expected(0))
  // As a pooler does by switching connections.
  await sql.unsafe('deallocate all')

  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 3 === 2 ? other(n) : ask(n))))

  expect(answers.map((rows) => [...rows])).toEqual(
    Array.from({ length: 20 }, (_, n) => (n % 3 === 2 ? [{ other: String(n) }] : expected(n))),
  )
  expect(await ask(7)).toEqual(expected(7))
  await sql.end()
})
