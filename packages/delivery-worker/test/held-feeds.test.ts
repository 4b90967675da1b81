import { expect, it } from 'vitest'
import { createHeldFeedsCheck } from '../src/upkeep/held-feeds.ts'
import { openHost } from './support/host.ts'

const MESSAGE = 'an open transaction holds up an event feed: commit it, or end its session'

it('a transaction that stays open after writing an event is logged once, and no other', async () => {
  const host = await openHost()
  const { storage, settings } = host.integrations
  const check = createHeldFeedsCheck({ storage, logger: settings.logger, toleratedMs: 0 })
  const warnings = () => host.logs.filter(({ message }) => message === MESSAGE)
  const quotationId = await host.startQuote()
  await check()

  await host.sql.begin(async (tx) => {
    // Locks of the host: for a leader, and a shared one.
    await tx`select pg_advisory_xact_lock(42), pg_advisory_xact_lock_shared(43)`
    await tx`select pg_advisory_xact_lock_shared(hashtextextended('a lock of the host', 0))`
    await check()
    await check()
    expect(warnings()).toEqual([])

    await host.integrations.within(tx).pipeline(quotationId).stepCompleted('requirement_analysis')
    await check()
    expect(warnings()).toEqual([])
    await check()
    await check()
    const [session] = await tx`select pg_backend_pid() as pid`
    expect(warnings()).toMatchObject([{ level: 'warn', fields: { pid: session?.['pid'] } }])
  })

  await check()
  expect(await storage.eventFeed.findOpenWriters()).toEqual([])
  expect(warnings()).toHaveLength(1)
})

it('a transaction is not logged before it has been open for a minute', async () => {
  const host = await openHost()
  const { storage, settings } = host.integrations
  const check = createHeldFeedsCheck({ storage, logger: settings.logger })
  const quotationId = await host.startQuote()
  await host.sql.begin(async (tx) => {
    await host.integrations.within(tx).pipeline(quotationId).stepCompleted('requirement_analysis')
    for (let times = 0; times < 3; times += 1) await check()
    expect(await storage.eventFeed.findOpenWriters()).toHaveLength(1)
  })
  expect(host.logs.filter(({ message }) => message === MESSAGE)).toEqual([])
})
