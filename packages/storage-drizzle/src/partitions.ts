import type postgres from 'postgres'
import { lockMaintenance } from './maintenance-lock.ts'

/** The tables that have a partition for each day (UTC). */
const PARTITIONED = ['events', 'delivery_attempts'] as const

/** Today and the days that follow it: a job that fails for days in a row loses nothing, the default partition takes over. */
const DAYS = 7

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Makes the day partitions of today and the next six days where they are missing. Rows of such a day that went to the
 * default partition meanwhile are moved. Safe to call at any time, from any process.
 */
export async function ensurePartitions(sql: postgres.Sql, schema: string): Promise<void> {
  await sql.begin(async (transaction) => {
    await lockMaintenance(transaction, schema)
    await createPartitions(transaction, schema)
  })
}

/** The same, in a transaction that holds the maintenance lock. */
export async function createPartitions(transaction: postgres.ISql, schema: string): Promise<void> {
  const [clock] = await transaction.unsafe<{ today: string }[]>(
    `select to_char(now() at time zone 'utc', 'YYYY-MM-DD') as today`,
  )
  const today = Date.parse(`${clock?.today}T00:00:00Z`)
  for (const table of PARTITIONED) {
    for (let day = 0; day < DAYS; day += 1) {
      await createPartition(transaction, schema, table, new Date(today + day * DAY_MS))
    }
  }
}

async function createPartition(
  transaction: postgres.ISql,
  schema: string,
  table: (typeof PARTITIONED)[number],
  day: Date,
): Promise<void> {
  const parent = `"${schema}".${table}`
  const partition = `${parent}_${day.toISOString().slice(0, 10).replaceAll('-', '_')}`
  const from = `'${day.toISOString()}'`
  const to = `'${new Date(day.getTime() + DAY_MS).toISOString()}'`
  const [found] = await transaction.unsafe<{ exists: boolean }[]>(
    `select to_regclass('${partition}') is not null as exists`,
  )
  if (found?.exists) return
  // Attached, not created as a partition: that would lock out all readers and writers of the whole table. Nobody may
  // write to the default partition between the move and the attachment, which fails when a row of the day is in there.
  await transaction.unsafe(`
    lock table ${parent}_default in access exclusive mode;
    create table ${partition} (like ${parent} including all);
    with moved as (
      delete from ${parent}_default where created_at >= ${from} and created_at < ${to} returning *
    )
    insert into ${partition} select * from moved;
    alter table ${parent} attach partition ${partition} for values from (${from}) to (${to});
  `)
}
