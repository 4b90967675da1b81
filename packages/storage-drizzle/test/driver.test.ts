import { inspect } from 'node:util'
import { expect, inject, it } from 'vitest'
import connectTo from '#driver'
import { connect } from '../src/connection/connect.ts'

it('A completed query releases its parameters', async () => {
  const sql = connectTo(inject('postgresUrl'), { max: 1 })
  const query = sql.unsafe('select length($1) as length', ['all that was sent'])

  expect(inspect(query)).toContain('all that was sent')
  expect(await query).toEqual([{ length: 17 }])
  expect(inspect(query)).not.toContain('all that was sent')
  await sql.end()
})

it('Statements that wait behind a lost prepared statement get their own results', async () => {
  const { driver } = connect({ connectionString: inject('postgresUrl'), maxConnections: 1 })
  const ask = (n: number) =>
    driver.values(
      "select $1::int as n, decode($2::text, 'hex') as bytes",
      [n, Buffer.from([n]).toString('hex')],
      ['n', 'bytes'],
    )
  const other = (n: number) => driver.values('select $1::text as other', [String(n)], [])
  const expected = (n: number) => [[n, Buffer.from([n])]]
  expect([...(await ask(0))]).toEqual(expected(0))
  // As a pooler does by switching connections.
  await driver.script('deallocate all')

  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 3 === 2 ? other(n) : ask(n))))

  expect(answers.map((rows) => [...rows])).toEqual(
    Array.from({ length: 20 }, (_, n) => (n % 3 === 2 ? [[String(n)]] : expected(n))),
  )
  expect([...(await ask(7))]).toEqual(expected(7))
  await driver.end()
})

it('Statements that wait in a transaction behind a lost prepared statement get their own results', async () => {
  const { driver } = connect({ connectionString: inject('postgresUrl'), maxConnections: 1 })
  const ask = 'select $1::int as n'
  await driver.values(ask, [0], [])
  await driver.script('deallocate all')

  const asked = driver.begin((transaction) =>
    Promise.allSettled([1, 2, 3].map((n) => transaction.values(ask, [n], []))),
  )

  // PostgreSQL has aborted it by then.
  await expect(asked).rejects.toMatchObject({ code: '26000' })
  expect([...(await driver.values(ask, [4], []))]).toEqual([[4]])
  await driver.end()
})
