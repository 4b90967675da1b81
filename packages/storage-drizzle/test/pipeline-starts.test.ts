import { randomUUID } from 'node:crypto'
import type { NewQuotation } from '@quickquote/core'
import { lockWaiters } from '@quickquote/dev-servers/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { startAnswerThief } from './support/answer-thief.ts'
import { openOutbox } from './support/delivery-samples.ts'
import { AWKWARD, sampleQuotation } from './support/samples.ts'

const outbox = await openOutbox()
const { storage, sql } = outbox
const worker = randomUUID()
const other = randomUUID()

beforeEach(async () => {
  await sql`truncate quickquote.quotations, quickquote.pipeline_starts cascade`
})

async function accept(fields: Partial<NewQuotation> = {}): Promise<NewQuotation> {
  const quotation = sampleQuotation({ created_at: new Date(), ...fields })
  const { files, organization_id, created_at } = quotation
  for (const { id } of files) await storage.uploads.record({ id, organization_id }, created_at)
  await storage.quotations.accept(quotation, null)
  return quotation
}

function claim(
  workerId: string,
  fields: { limit?: number; held?: string[]; now?: Date } = {},
  from = storage,
) {
  return from.pipelineStarts.claim({ workerId, limit: 10, now: new Date(), ...fields })
}

describe('an order to start a pipeline', () => {
  it('is claimed with the quote as accepted', async () => {
    const file = { id: randomUUID(), name: AWKWARD, type: 'pdf', size: 2 ** 40 } as const
    const { api_key_id, created_at, trace, ...quote } = await accept({
      metadata: { [AWKWARD]: [1, null] },
      files: [file, { ...file, id: randomUUID(), name: 'a.txt', type: 'txt' }],
    })

    expect(await claim(worker)).toEqual({
      claimed: [{ quote, hook: 'start', attempt: 1, trace }],
      nextDueAt: null,
    })
  })

  it('is deleted with its quotation, and so is the idempotency key', async () => {
    const [gone, kept] = [sampleQuotation(), sampleQuotation()]
    for (const quotation of [gone, kept]) {
      await storage.quotations.accept(quotation, { key: quotation.id, requestHash: Buffer.alloc(32) })
    }
    await sql`delete from quickquote.quotations where id = ${gone.id}`
    expect(await sql`select quotation_id from quickquote.pipeline_starts`).toEqual([
      { quotation_id: kept.id },
    ])
    const keys =
      await sql`select key from quickquote.idempotency_keys where key in ${sql([gone.id, kept.id])}`
    expect(keys).toEqual([{ key: kept.id }])
  })

  it('is claimed once while leased', async () => {
    await accept()

    const claims = await Promise.all([claim(worker), claim(other, {}, outbox.anotherStorage())])

    expect(claims.flatMap(({ claimed }) => claimed)).toHaveLength(1)
  })

  it('waits if there are more than the limit, and its due time is returned', async () => {
    const now = Date.now()
    const quotes = [30, 20, 10].map((ago) => accept({ created_at: new Date(now - ago) }))
    const [oldest, second] = await Promise.all(quotes)

    const { claimed, nextDueAt } = await claim(worker, { limit: 1 })

    expect(claimed.map(({ quote }) => quote.id)).toEqual([oldest?.id])
    expect(nextDueAt).toEqual(second?.created_at)
  })

  it('is removed when done', async () => {
    const { id } = await accept()
    await claim(worker)

    await storage.pipelineStarts.recordCall({ workerId: worker, quotationId: id, attempt: 1, retryAt: null })

    expect(await sql`select * from quickquote.pipeline_starts`).toHaveLength(0)
  })

  it('is claimed again for a retry, with the next attempt number', async () => {
    const { id } = await accept()
    await claim(worker)
    const retryAt = new Date(Date.now() + 60_000)

    await storage.pipelineStarts.recordCall({ workerId: worker, quotationId: id, attempt: 1, retryAt })

    expect(await claim(other)).toEqual({ claimed: [], nextDueAt: retryAt })
    const { claimed } = await claim(other, { now: retryAt })
    expect(claimed).toMatchObject([{ quote: { id }, attempt: 2 }])
  })

  it('is completed if its quote has ended meanwhile', async () => {
    const quotes = await Promise.all([accept(), accept(), accept()])
    await sql`update quickquote.quotations set status = 'failed' where id = ${quotes[0].id}`
    await sql`update quickquote.quotations set status = 'completed' where id = ${quotes[1].id}`

    const { claimed } = await claim(worker)

    expect(claimed.map(({ quote }) => quote.id)).toEqual([quotes[2].id])
    expect(await sql`select quotation_id from quickquote.pipeline_starts`).toHaveLength(1)
  })

  it('is neither ended nor postponed by a worker that lost its lease', async () => {
    const { id } = await accept()
    await claim(worker)
    await storage.workers.recoverDead({ silentForMs: 10_000, maxAttempts: 8, now: new Date() })
    await claim(other)

    const stale = { workerId: worker, quotationId: id, attempt: 1 }
    await storage.pipelineStarts.recordCall({ ...stale, retryAt: null })
    await storage.pipelineStarts.recordCall({ ...stale, retryAt: new Date() })
    await storage.pipelineStarts.recordCall({ ...stale, workerId: other, retryAt: null })

    const held = await sql`select leased_by, attempt from quickquote.pipeline_starts`
    expect([...held]).toEqual([{ leased_by: other, attempt: 2 }])
  })

  it('is returned if the response with it was lost, while held leases stay', async () => {
    const thief = await startAnswerThief(outbox.url)
    const far = outbox.anotherStorage({ url: thief.url })
    const known = await accept()
    await claim(worker, {}, far)
    const lost = await accept()

    // Its id is in the message with the parameters, which executes the statement.
    thief.stealAnswerTo(worker)
    await expect(claim(worker, {}, far)).rejects.toMatchObject({ name: 'StorageError' })
    expect(await sql`select * from quickquote.pipeline_starts where leased_by = ${worker}`).toHaveLength(2)

    const { claimed } = await claim(worker, { held: [known.id] }, far)
    await far.close()
    await thief.stop()

    expect(claimed).toMatchObject([{ quote: { id: lost.id }, attempt: 1 }])
    expect(known.id).not.toBe(lost.id)
  })
})

describe('an order to start a quote that is cancelled', () => {
  const cancelled = (storageOf: Pick<typeof storage, 'quotations'>, { organization_id, id }: NewQuotation) =>
    storageOf.quotations.cancelStart?.(organization_id, id, new Date())

  /** Fails it, too. */
  async function cancel(quotation: NewQuotation) {
    await storage.transaction(async (transaction) => {
      const { organization_id, id } = quotation
      const change = { status: 'failed', error_code: 'CANCELLED' } as const
      await transaction.quotations.saveProgress(organization_id, id, change, new Date())
      await cancelled(transaction, quotation)
    })
  }

  it('at the moment of its claim is handed over and then cancelled, or neither', async () => {
    const another = outbox.anotherStorage()
    for (let round = 0; round < 100; round += 1) {
      const quotation = await accept()
      const [{ claimed }] = await Promise.all([claim(worker, {}, another), cancel(quotation)])
      if (claimed.length > 0) {
        expect(await storage.pipelineStarts.findCancelled(worker)).toEqual(new Set([quotation.id]))
        const held = { workerId: worker, quotationId: quotation.id, attempt: 1 }
        await storage.pipelineStarts.recordCall({ ...held, retryAt: null })
        expect((await claim(worker)).claimed).toMatchObject([{ hook: 'cancel' }])
        await storage.pipelineStarts.recordCall({ ...held, retryAt: null })
      }
      expect((await claim(worker)).claimed).toEqual([])
      expect(await sql`select * from quickquote.pipeline_starts`).toEqual([])
    }
  })

  it('is passed over by a claim until the cancel has ended: after a rollback it is claimed', async () => {
    const quotation = await accept()
    const rolledBack = storage.transaction(async (transaction) => {
      await cancelled(transaction, quotation)
      expect((await claim(worker)).claimed).toEqual([])
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect((await claim(worker)).claimed).toMatchObject([{ hook: 'start', attempt: 1 }])
  })

  it('is kept by the worker that has it until its call has ended, however it does', async () => {
    const ends: ((held: { workerId: string; quotationId: string; attempt: number }) => Promise<void>)[] = [
      (held) => storage.pipelineStarts.recordCall({ ...held, retryAt: null }),
      (held) => storage.pipelineStarts.recordCall({ ...held, retryAt: new Date(Date.now() + 60_000) }),
      (held) => storage.pipelineStarts.release(held),
      ({ workerId }) => storage.workers.retire(workerId),
    ]
    for (const end of ends) {
      const quotation = await accept()
      await claim(worker)
      await cancel(quotation)
      expect(await storage.pipelineStarts.findCancelled(worker)).toEqual(new Set([quotation.id]))
      expect(await storage.pipelineStarts.findCancelled(other)).toEqual(new Set())
      expect((await claim(other)).claimed).toEqual([])
      await end({ workerId: worker, quotationId: quotation.id, attempt: 1 })
      const { claimed } = await claim(other)
      expect(claimed).toMatchObject([{ quote: { id: quotation.id }, hook: 'cancel', attempt: 1 }])
      const held = { workerId: other, quotationId: quotation.id, attempt: 1 }
      await storage.pipelineStarts.recordCall({ ...held, retryAt: null })
      expect(await sql`select * from quickquote.pipeline_starts`).toEqual([])
    }
  })

  it('is settled in a transaction that began before the cancel: nothing is lost', async () => {
    const quotation = await accept()
    await claim(worker)
    let recording: Promise<void> | undefined
    await storage.transaction(async (transaction) => {
      await cancelled(transaction, quotation)
      recording = outbox.anotherStorage().pipelineStarts.recordCall({
        workerId: worker,
        quotationId: quotation.id,
        attempt: 1,
        retryAt: null,
      })
      await expect.poll(() => lockWaiters(sql)).toBeGreaterThan(0)
    })
    await recording
    expect((await claim(other)).claimed).toMatchObject([{ hook: 'cancel', attempt: 1 }])
  })
})
