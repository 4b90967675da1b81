import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { QuotePipeline } from '@quickquote/core'
import { adminOf } from '@quickquote/dev-servers/host'
import { describe, expect, it } from 'vitest'
import {
  certificate,
  type Host,
  type HostOptions,
  ORGANIZATION,
  openHost,
  openReceiver,
} from './support/host.ts'

let host: Host

type Start = QuotePipeline['start']

async function open(begin: Start, start: HostOptions['start'] = { backoffMs: 1 }): Promise<void> {
  host = await openHost({ pipeline: { start: begin }, start })
}

async function orders() {
  return [
    ...(await host.sql`select quotation_id, attempt, leased_by, due_at from quickquote.pipeline_starts`),
  ]
}

const statusOf = async (id: string) => (await host.integrations.quotations.get(ORGANIZATION, id)).status

describe('an accepted quote', () => {
  it('is handed to the pipeline, which reports with the given object', async () => {
    await open(async (_, { report }) => report.stepCompleted('requirement_analysis'))
    await host.createWorker().start()

    const id = await host.startQuote()

    await expect.poll(orders).toEqual([])
    expect(await host.integrations.quotations.get(ORGANIZATION, id)).toMatchObject({
      status: 'running',
      processed_step: 'requirement_analysis',
    })
  })

  it('waits for room: the policy limits concurrent starts', async () => {
    const underWay: (() => void)[] = []
    await open(() => new Promise((resolve) => underWay.push(resolve)), { concurrency: 2 })
    await host.createWorker().start()
    for (let n = 0; n < 5; n += 1) await host.startQuote()
    await expect.poll(() => underWay.length).toBe(2)
    await expect
      .poll(async () => (await orders()).filter(({ leased_by }) => leased_by !== null))
      .toHaveLength(2)

    underWay[0]?.()

    await expect.poll(() => underWay.length).toBe(3)
    for (let n = 1; n < 5; n += 1) {
      await expect.poll(() => underWay.length).toBeGreaterThan(n)
      underWay[n]?.()
    }
    await expect.poll(orders).toEqual([])
  })

  it('that has already ended is not started', async () => {
    let starts = 0
    await open(async () => {
      starts += 1
    })
    const id = await host.startQuote()
    await host.integrations.pipeline(id).failed()

    await host.createWorker().start()

    await expect.poll(orders).toEqual([])
    expect(starts).toBe(0)
  })
})

describe('a start that throws', () => {
  it('is repeated', async () => {
    let starts = 0
    await open(async () => {
      starts += 1
      if (starts < 3) throw new Error('busy')
    })
    await host.createWorker().start()

    const id = await host.startQuote()

    await expect.poll(orders).toEqual([])
    expect(starts).toBe(3)
    expect(await statusOf(id)).toBe('queued')
  })

  it('is repeated even if it throws synchronously', async () => {
    let starts = 0
    await open(() => {
      starts += 1
      if (starts === 1) throw new Error('busy')
      return Promise.resolve()
    })
    await host.createWorker().start()

    await host.startQuote()

    await expect.poll(orders).toEqual([])
    expect(starts).toBe(2)
  })

  it('waits twice as long each time', async () => {
    let starts = 0
    await open(
      async () => {
        starts += 1
        throw new Error('busy')
      },
      { backoffMs: 60_000 },
    )
    await host.createWorker().start()
    await host.startQuote()
    await expect.poll(async () => (await orders())[0]).toMatchObject({ attempt: 1, leased_by: null })
    await host.sql`update quickquote.pipeline_starts set due_at = now()`
    const before = Date.now()
    await host.sql`select pg_notify('quickquote_wake', '')`

    await expect.poll(async () => (await orders())[0]).toMatchObject({ attempt: 2, leased_by: null })

    const [order] = await orders()
    expect(order?.['due_at'].getTime() - before).toBeGreaterThanOrEqual(120_000)
    expect(starts).toBe(2)
  })

  it('at the last attempt fails the quote', async () => {
    let starts = 0
    await open(
      async () => {
        starts += 1
        throw new Error('gone')
      },
      { maxAttempts: 3, backoffMs: 1 },
    )
    await host.createWorker().start()

    const id = await host.startQuote()

    await expect.poll(orders).toEqual([])
    expect(starts).toBe(3)
    expect(await host.integrations.quotations.get(ORGANIZATION, id)).toMatchObject({
      status: 'failed',
      error_code: 'PIPELINE_START_FAILED',
    })
  })

  it('at the last attempt is reported to the partner: quotation.failed, with PIPELINE_START_FAILED and no known step', async () => {
    const partner = await openReceiver()
    await open(() => Promise.reject(new Error('gone')), { maxAttempts: 2, backoffMs: 1 })
    await host.integrations.webhookEndpoints.create(adminOf(ORGANIZATION), {
      name: 'CRM',
      url: partner.url,
      events: ['quotation.failed'],
    })
    await host.createWorker({ ca: certificate.cert }).start()

    const id = await host.startQuote()

    const { rawBody } = await partner.next()
    expect(JSON.parse(rawBody.toString())).toMatchObject({
      type: 'quotation.failed',
      data: { quotation_id: id, step: 'unknown', status: 'failed', error_code: 'PIPELINE_START_FAILED' },
    })
  })

  it('at the last attempt of a quote that ended anyway changes nothing more', async () => {
    await open(
      async (_, { report }) => {
        await report.failed({ errorCode: 'OUT_OF_PAPER' })
        throw new Error('and then it threw')
      },
      { maxAttempts: 1 },
    )
    await host.createWorker().start()

    const id = await host.startQuote()

    await expect.poll(orders).toEqual([])
    expect(await host.integrations.quotations.get(ORGANIZATION, id)).toMatchObject({
      error_code: 'OUT_OF_PAPER',
    })
  })

  it('is not attempted more often than the policy says, even if a worker died during the last attempt', async () => {
    let starts = 0
    await open(
      async () => {
        starts += 1
      },
      { maxAttempts: 3 },
    )
    const id = await host.startQuote()
    await host.sql`update quickquote.pipeline_starts set attempt = 3`

    await host.createWorker().start()

    await expect.poll(orders).toEqual([])
    expect(starts).toBe(0)
    expect(await statusOf(id)).toBe('failed')
    expect(host.logs).toContainEqual(
      expect.objectContaining({
        message: 'a pipeline could not be started',
        fields: expect.objectContaining({ quotation_id: id, attempt: 4 }),
      }),
    )
  })
})

describe('a start', () => {
  it('that hangs counts as failed after its timeout: its signal aborts, and it takes no place', async () => {
    const signals: AbortSignal[] = []
    await open(
      (_, { signal }) => {
        signals.push(signal)
        return new Promise(() => undefined)
      },
      { callTimeoutMs: 50, backoffMs: 1, maxAttempts: 2, concurrency: 1 },
    )
    await host.createWorker().start()

    const ids = [await host.startQuote(), await host.startQuote()]

    await expect.poll(orders).toEqual([])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true])
    for (const id of ids) {
      expect(await host.integrations.quotations.get(ORGANIZATION, id)).toMatchObject({
        status: 'failed',
        error_code: 'PIPELINE_START_FAILED',
      })
    }
    expect(host.logs.filter(({ level }) => level === 'warn').map(({ fields }) => fields['err'])).toEqual(
      Array(4).fill(expect.objectContaining({ message: 'pipeline.start did not respond within 50 ms' })),
    )
  })

  it('that resolves in time keeps its signal, for a run that continues', async () => {
    const signals: AbortSignal[] = []
    await open(
      async (_, { signal }) => {
        signals.push(signal)
      },
      { callTimeoutMs: 50 },
    )
    const worker = host.createWorker()
    await worker.start()
    await host.startQuote()
    await expect.poll(orders).toEqual([])
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])

    await worker.stop()

    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('that has ended keeps nothing of its quote, even if its hook left a listener', async () => {
    const quotes: WeakRef<object>[] = []
    await open(async (quote, { signal }) => {
      quotes.push(new WeakRef(quote))
      signal.addEventListener('abort', () => void quote.id)
    })
    await host.createWorker().start()
    for (let n = 0; n < 40; n += 1) await host.startQuote()
    await expect.poll(orders).toEqual([])
    expect(quotes).toHaveLength(40)

    setFlagsFromString('--expose_gc')
    const collect = runInNewContext('gc') as () => void
    const kept = async () => {
      await new Promise(setImmediate)
      collect()
      return quotes.filter((quote) => quote.deref() !== undefined).length
    }
    await expect.poll(kept).toBeLessThan(5)
  })

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['text', () => 'started'],
    ['a number', () => 202],
  ])('succeeds if its hook returns %s immediately', async (_, answer) => {
    await open(answer as Start)
    await host.createWorker().start()

    const id = await host.startQuote()

    await expect.poll(orders).toEqual([])
    expect(await statusOf(id)).toBe('queued')
  })

  it('that rejects with something other than an error is logged without it', async () => {
    await open(() => Promise.reject('sk_of_the_host'), { maxAttempts: 1 })
    await host.createWorker().start()

    const id = await host.startQuote()

    await expect.poll(() => statusOf(id)).toBe('failed')
    expect(JSON.stringify(host.logs)).not.toContain('sk_of_the_host')
  })
})

describe('stop', () => {
  it('aborts starts in progress, and their attempt does not count', async () => {
    let running = 0
    await open((_, { signal }) => {
      running += 1
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    })
    const worker = host.createWorker()
    await worker.start()
    await host.startQuote()
    await expect.poll(() => running).toBe(1)

    await worker.stop()

    expect(await orders()).toMatchObject([{ attempt: 0, leased_by: null }])
    expect(host.logs.filter(({ level }) => level === 'warn')).toEqual([])
  })

  it('lets a start end if it can', async () => {
    let running = 0
    await open((_, { signal }) => {
      running += 1
      return new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 20)))
    })
    const worker = host.createWorker()
    await worker.start()
    await host.startQuote()
    await expect.poll(() => running).toBe(1)

    await worker.stop()

    expect(await orders()).toEqual([])
  })

  it('does not wait forever: hanging starts are returned', async () => {
    let running = 0
    await open(() => {
      running += 1
      return new Promise(() => undefined)
    })
    const worker = host.createWorker()
    await worker.start()
    await host.startQuote()
    await expect.poll(() => running).toBe(1)

    await worker.stop({ deadlineMs: 20 })

    expect(await orders()).toMatchObject([{ attempt: 0, leased_by: null }])
  })
})
