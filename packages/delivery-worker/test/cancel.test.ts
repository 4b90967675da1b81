import type { Quote, QuotePipeline } from '@quickquote/core'
import { type Service, startChild } from '@quickquote/dev-servers/child'
import { lockWaiters, openIntegrations } from '@quickquote/dev-servers/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startDue } from '../src/index.ts'
import { type Host, type HostOptions, ORGANIZATION, openHost } from './support/host.ts'

let host: Host
let started: Quote[]
let cancelled: Quote[]

/** A host whose hooks keep the quotes that they are called with. */
async function open(
  {
    start = async () => {},
    cancel = async () => {},
  }: { start?: QuotePipeline['start']; cancel?: NonNullable<QuotePipeline['cancel']> } = {},
  options: HostOptions = {},
): Promise<void> {
  started = []
  cancelled = []
  host = await openHost({
    start: { backoffMs: 1 },
    pipeline: {
      async start(quote, context) {
        started.push(quote)
        await start(quote, context)
      },
      async cancel(quote) {
        cancelled.push(quote)
        await cancel(quote)
      },
    },
    ...options,
  })
}

const cancel = (id: string, from = host.integrations) => from.quotations.cancel?.(ORGANIZATION, id)

const orders = async () => [
  ...(await host.sql`select state, attempt, leased_by from quickquote.pipeline_starts`),
]

async function endsOf(id: string): Promise<string[]> {
  const rows = await host.sql`
    select type, body::json -> 'data' ->> 'error_code' as code from quickquote.events
    where quotation_id = ${id} and type in ('quotation.completed', 'quotation.failed')`
  return rows.map(({ type, code }) => `${type} ${code}`)
}

const ONE_END = ['quotation.failed CANCELLED']

/** Another process with the same database. */
const anotherProcess = async () => (await openIntegrations({ databaseUrl: host.databaseUrl })).integrations

const ids = (quotes: readonly Quote[]) => quotes.map(({ id }) => id)

describe('a cancelled quote', () => {
  it('that is queued is never handed to the pipeline', async () => {
    await open()
    const id = await host.startQuote()
    await cancel(id)
    const other = await host.startQuote()
    await host.createWorker().start()
    await expect.poll(() => ids(started)).toEqual([other])
    await expect.poll(orders).toEqual([])
    expect(cancelled).toEqual([])
    expect(await endsOf(id)).toEqual(ONE_END)
  })

  it('that was handed over is cancelled in the pipeline, with the quote of its start', async () => {
    await open()
    await host.createWorker().start()
    const id = await host.startQuote()
    await expect.poll(() => ids(started)).toEqual([id])
    await expect.poll(orders).toEqual([])
    await cancel(id, await anotherProcess())
    await expect.poll(() => cancelled).toEqual(started)
    await expect.poll(orders).toEqual([])
    await cancel(id)
    expect(await orders()).toEqual([])
    expect(await endsOf(id)).toEqual(ONE_END)
  })

  it('whose start is in progress has its signal aborted by any process, and is cancelled after it has ended', async () => {
    const seen: string[] = []
    await open(
      {
        start: (_, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              seen.push(String(signal.reason.name))
              setTimeout(() => {
                seen.push('ended')
                reject(signal.reason)
              }, 100)
            })
          }),
        cancel: async () => void seen.push('cancel'),
      },
      // Full: the worker claims nothing more.
      { start: { concurrency: 1, backoffMs: 1 } },
    )
    await host.createWorker().start()
    const id = await host.startQuote()
    await expect.poll(() => ids(started)).toEqual([id])
    await cancel(id, await anotherProcess())
    await expect.poll(orders).toEqual([])
    expect(seen).toEqual(['AbortError', 'ended', 'cancel'])
    expect(started).toHaveLength(1)
    expect(cancelled).toEqual(started)
  })

  it('whose start ignores its signal is cancelled all the same', async () => {
    let end = () => {}
    await open(
      {
        start: () =>
          new Promise<void>((resolve) => {
            end = resolve
          }),
        cancel: async () => end(),
      },
      { hookTimeoutMs: 50 },
    )
    await host.createWorker().start()
    const id = await host.startQuote()
    await expect.poll(() => ids(started)).toEqual([id])
    await cancel(id)
    await expect.poll(() => ids(cancelled)).toEqual([id])
    await expect.poll(orders).toEqual([])
  })

  it('whose start ends at that moment is cancelled, too', async () => {
    await open({
      start: async ({ id }) => {
        await host.integrations.quotations.cancel?.(ORGANIZATION, id)
        throw new Error('busy')
      },
    })
    await host.createWorker().start()
    const id = await host.startQuote()
    await expect.poll(() => ids(cancelled)).toEqual([id])
    await expect.poll(orders).toEqual([])
    expect(started).toHaveLength(1)
    expect(await endsOf(id)).toEqual(ONE_END)
  })

  it('that waits for another try of its start is cancelled, and not started again', async () => {
    await open({ start: () => Promise.reject(new Error('busy')) }, { start: { backoffMs: 60_000 } })
    await host.createWorker().start()
    const id = await host.startQuote()
    await expect.poll(orders).toMatchObject([{ attempt: 1, leased_by: null }])
    await cancel(id)
    await expect.poll(() => ids(cancelled)).toEqual([id])
    await expect.poll(orders).toEqual([])
    expect(started).toHaveLength(1)
  })

  it('whose start a stopped worker broke off is cancelled by the next one', async () => {
    await open({
      start: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    const worker = host.createWorker()
    await worker.start()
    const id = await host.startQuote()
    await expect.poll(() => ids(started)).toEqual([id])
    await worker.stop()
    await cancel(id)
    await host.createWorker().start()
    await expect.poll(() => ids(cancelled)).toEqual([id])
    await expect.poll(orders).toEqual([])
    expect(started).toHaveLength(1)
  })

  it('needs no hook', async () => {
    host = await openHost()
    await host.createWorker().start()
    const id = await host.startQuote()
    await expect.poll(orders).toEqual([])
    await cancel(id)
    await expect.poll(orders).toEqual([])
    expect(await endsOf(id)).toEqual(ONE_END)
  })
})

describe('pipeline.cancel', () => {
  it('that throws or hangs is called again, as often as a start', async () => {
    await open(
      {
        cancel: () =>
          cancelled.length === 1 ? new Promise(() => {}) : Promise.reject(new Error('still busy')),
      },
      { start: { maxAttempts: 3, backoffMs: 1 }, hookTimeoutMs: 20 },
    )
    await host.createWorker().start()
    const id = await host.startQuote()
    await expect.poll(() => ids(started)).toEqual([id])
    await expect.poll(orders).toEqual([])
    await cancel(id)
    await expect.poll(() => cancelled).toHaveLength(3)
    await expect.poll(orders).toEqual([])
    const lines = host.logs.filter(({ message }) => message === 'a pipeline could not cancel its run')
    expect(lines.map(({ level, fields }) => [level, fields['attempt']])).toEqual([
      ['warn', 1],
      ['warn', 2],
      ['error', 3],
    ])
    expect(await endsOf(id)).toEqual(ONE_END)
  })

  it('is called by another worker if one died in it, also after the last attempt of the start', async () => {
    await open({}, { start: { maxAttempts: 1 } })
    const { storage } = host.integrations
    const [dead, lost] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
    const claim = async (workerId: string) => {
      const { claimed } = await storage.pipelineStarts.claim({ workerId, limit: 1, now: new Date() })
      return claimed.map(({ hook, attempt }) => [hook, attempt])
    }
    const recover = () =>
      storage.workers.recoverDead({ silentForMs: 10_000, maxAttempts: 8, now: new Date() })
    const id = await host.startQuote()
    expect(await claim(dead)).toEqual([['start', 1]])
    await cancel(id)
    expect(await claim(lost)).toEqual([])
    await recover()
    expect(await claim(lost)).toEqual([['cancel', 1]])
    await recover()
    expect(await claim(dead)).toEqual([['cancel', 2]])
  })

  it('is called by startDue, for hosts without a worker', async () => {
    await open()
    const id = await host.startQuote()
    const due = async () =>
      (await startDue({ integrations: host.integrations })).map(({ hook, result }) => [hook, result.kind])
    expect(await due()).toEqual([['start', 'started']])
    await cancel(id)
    expect(await due()).toEqual([['cancel', 'cancelled']])
    expect(await due()).toEqual([])
    expect(cancelled).toEqual(started)
  })
})

describe('a cancel', () => {
  it('waits for a report in another transaction, whose commit or rollback decides', async () => {
    await open()
    const { integrations, sql } = host
    const endings = [
      { report: 'completed', commits: true, code: 'QUOTATION_ENDED', ends: ['quotation.completed null'] },
      { report: 'failed', commits: true, code: 'QUOTATION_ENDED', ends: ['quotation.failed null'] },
      { report: 'completed', commits: false, code: 'cancelled', ends: ONE_END },
      { report: 'stepStarted', commits: true, code: 'cancelled', ends: ONE_END },
    ] as const
    for (const { report, commits, code, ends } of endings) {
      const id = await host.startQuote()
      if (report === 'completed') {
        const steps = integrations.pipeline(id)
        await steps.stepCompleted('requirement_analysis')
        await steps.stepCompleted('functional_specification')
        await steps.stepCompleted('work_breakdown')
        await steps.stepCompleted('effort_estimation')
        await steps.stepCompleted('proposal')
      }
      let result: Promise<string> | undefined
      const rolledBack = new Error('rolled back')
      await sql
        .begin(async (tx) => {
          const reporter = integrations.within(tx).pipeline(id)
          await (report === 'stepStarted' ? reporter.stepStarted('requirement_analysis') : reporter[report]())
          result = Promise.resolve(cancel(id)).then(
            () => 'cancelled',
            (error) => error.code,
          )
          await expect.poll(() => lockWaiters(host.sql)).toBeGreaterThan(0)
          if (!commits) throw rolledBack
        })
        .catch((error) => {
          if (error !== rolledBack) throw error
        })
      expect([report, await result]).toEqual([report, code])
      expect(await endsOf(id)).toEqual(ends)
    }
  })

  it('in a transaction of the host makes reports and other cancels wait: one end', async () => {
    await open()
    const { integrations, sql } = host
    const id = await host.startQuote()
    const results: Promise<unknown>[] = []
    await sql.begin(async (tx) => {
      await integrations.within(tx).quotations.cancel?.(ORGANIZATION, id)
      results.push(integrations.pipeline(id).stepCompleted('requirement_analysis').catch(codeOf))
      results.push(integrations.pipeline(id).failed({ errorCode: 'OTHER' }).catch(codeOf))
      results.push(Promise.resolve(cancel(id)).then((summary) => summary?.error_code, codeOf))
      // Each gives its connection back every 50 ms, so three are hardly ever seen at once.
      await expect.poll(() => lockWaiters(host.sql)).toBeGreaterThan(0)
      expect(await Promise.race([...results, 'none has ended'])).toBe('none has ended')
    })
    expect(await Promise.all(results)).toEqual(['STATE_CONFLICT', undefined, 'CANCELLED'])
    expect(await endsOf(id)).toEqual(ONE_END)
  })

  it('at the moment of another end: one end, one final event, in any order', async () => {
    await open()
    const other = await anotherProcess()
    for (let round = 0; round < 30; round += 1) {
      const id = await host.startQuote()
      const [, ...codes] = await Promise.all([
        host.integrations.pipeline(id).failed({ errorCode: 'OTHER' }),
        Promise.resolve(cancel(id)).catch(codeOf),
        Promise.resolve(cancel(id, other)).catch(codeOf),
      ])
      const ends = await endsOf(id)
      expect(ends).toHaveLength(1)
      const isCancelled = ends[0] === 'quotation.failed CANCELLED'
      for (const code of codes) {
        if (isCancelled) expect(code).toMatchObject({ error_code: 'CANCELLED' })
        else expect(code).toBe('QUOTATION_ENDED')
      }
    }
  })

  it('at the moment of the hand-over: a quote is handed over and then cancelled in the pipeline, or neither', async () => {
    await open()
    const other = await anotherProcess()
    for (const pollIntervalMs of [5000, 5000]) await host.createWorker({ pollIntervalMs }).start()
    const all: string[] = []
    for (let round = 0; round < 60; round += 1) {
      const quote = {
        organizationId: ORGANIZATION,
        source: 'api_key',
        body: { requirementsText: 'x' },
      } as const
      const { quotation_id: id } = await other.quotations.start(quote)
      all.push(id)
      await cancel(id, round % 2 === 0 ? host.integrations : other)
    }
    await expect.poll(orders).toEqual([])
    expect([...new Set(ids(cancelled))].sort()).toEqual([...new Set(ids(started))].sort())
    for (const id of all) expect(await endsOf(id)).toEqual(ONE_END)
  })

  it('of two processes at once, at the moment of the hand-over: one end, and a run is stopped if it began', async () => {
    await open()
    const program = new URL('./programs/cancelling-process.js', import.meta.url)
    const processes = [1, 2].map(() => startChild<CancellingProcess>(program))
    onTestFinished(async () => void (await Promise.all(processes.map((each) => each.kill()))))
    await Promise.all(processes.map((each) => each.call('open', host.databaseUrl)))
    const [first] = processes
    const all: string[] = []
    for (let round = 0; round < 60; round += 1) {
      const id = (await first?.call('startQuote', ORGANIZATION)) ?? ''
      all.push(id)
      const codes = await Promise.all(processes.map((each) => each.call('cancel', ORGANIZATION, id)))
      expect(codes).toEqual(['CANCELLED', 'CANCELLED'])
    }
    await expect.poll(orders).toEqual([])
    const called = await Promise.all(processes.map((each) => each.call('called')))
    const of = (hook: 'start' | 'cancel') => called.flatMap((each) => each[hook]).sort()
    expect(of('cancel')).toEqual(of('start'))
    for (const id of all) expect(await endsOf(id)).toEqual(ONE_END)
    await Promise.all(processes.map((each) => each.call('close')))
  })
})

/** See `cancelling-process.js`. */
interface CancellingProcess extends Service {
  open(databaseUrl: string): Promise<void>
  startQuote(organizationId: string): Promise<string>
  cancel(organizationId: string, id: string): Promise<string>
  called(): Promise<Record<'start' | 'cancel', string[]>>
  close(): Promise<void>
}

const codeOf = (error: { code?: string }) => error.code
