import { useDatabase } from '@quickquote/dev-servers/vitest'
import { describe, expect, it } from 'vitest'
import { openHost } from './support/host.ts'

const database = useDatabase()

describe('Kits that share a database', () => {
  it('do not touch the data of others, whatever their clocks say', async () => {
    const mine = openHost(database.url)
    const theirs = openHost(database.url)
    const me = await mine.kit.partner()
    const them = await theirs.kit.partner()
    const quote = await them.startQuote()
    mine.clock.advance({ hours: 3 })
    expect(await mine.kit.deliver()).toEqual([])
    expect(mine.started).toEqual([])

    await quote.complete('requirement_analysis')
    expect(theirs.started).toHaveLength(1)
    expect(await mine.kit.deliver()).toEqual([])
    them.answerNext({ status: 500 })
    // The first attempt is still the first.
    expect(await theirs.kit.deliver()).toEqual([expect.objectContaining({ attempt: 1, status: 'failed' })])
    expect(await mine.kit.deliver()).toEqual([])
    theirs.clock.advance({ seconds: 12 })
    expect(await theirs.kit.deliver()).toEqual([expect.objectContaining({ attempt: 2, status: 'succeeded' })])
    expect(them.webhooks).toHaveLength(1)
    expect(me.requests).toEqual([])
  })

  it('work concurrently, and each gets all its own webhooks', async () => {
    const hosts = Array.from({ length: 6 }, () => openHost(database.url))
    const received = await Promise.all(
      hosts.map(async ({ kit, started }) => {
        const partners = [await kit.partner(), await kit.partner()]
        for (let round = 0; round < 3; round += 1) {
          const quotes = await Promise.all(partners.map((partner) => partner.startQuote()))
          await kit.deliver()
          for (const quote of quotes) await quote.complete()
          await kit.deliver()
        }
        return [
          started.length,
          ...partners.map(({ webhooks, requests }) => [webhooks.length, requests.length]),
        ]
      }),
    )
    expect(received).toEqual(hosts.map(() => [6, [18, 18], [18, 18]]))
  })

  it('trust no certificate but their own', async () => {
    const mine = openHost(database.url)
    const theirs = openHost(database.url)
    const me = await mine.kit.partner()
    await theirs.kit.partner({ organizationId: me.organizationId, events: ['quotation.failed'] })
    await (await me.startQuote()).complete('requirement_analysis')
    await expect(theirs.kit.deliver()).rejects.toThrow(/certificate/)
    expect(me.requests).toEqual([])
  })

  it('leave nothing due after they are closed', async () => {
    const { kit, integrations, clock } = openHost(database.url)
    const partner = await kit.partner()
    await (await partner.startQuote()).complete()
    await kit.close()
    const { due, scheduled } = await integrations.storage.telemetry.readQueueState(clock.now())
    expect([due, scheduled]).toEqual([0, 0])
  })
})
