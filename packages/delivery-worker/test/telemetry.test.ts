import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { Integrations, QuotePipeline } from '@quickquote/core'
import type { Receiver, ReceiverOptions } from '@quickquote/dev-servers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  certificate,
  type Host,
  type HostOptions,
  NO_WAITING,
  ORGANIZATION,
  openHost,
  openReceiver,
} from './support/host.ts'
import { registerSdk } from './support/open-telemetry.ts'

const PATIENT = { timeout: 60_000 }
const sdk = registerSdk()
const instrumentation = new UndiciInstrumentation()

let host: Host
let receiver: Receiver

afterAll(async () => {
  instrumentation.disable()
  await sdk.shutdown()
})

async function open(respond?: ReceiverOptions['respond'], options: HostOptions = {}): Promise<void> {
  // After the spans of closing.
  onTestFinished(() => sdk.forget())
  receiver = await openReceiver(respond)
  host = await openHost(options)
}

async function run(): Promise<void> {
  await host.createWorker({ ca: certificate.cert }).start()
}

/** A host's route, inside the span of its request. */
function inSpan<T>(name: string, work: (span: Span) => Promise<T>): Promise<T> {
  return trace.getTracer('host').startActiveSpan(name, (span) => work(span).finally(() => span.end()))
}

async function spansOf(name: RegExp, count = 1): Promise<ReadableSpan[]> {
  await expect.poll(() => sdk.spans(name), PATIENT).toHaveLength(count)
  return sdk.spans(name)
}

const start = (integrations: Integrations, traceHeaders = {}) =>
  integrations.quotations.start({
    organizationId: ORGANIZATION,
    source: 'api_key',
    body: { requirementsText: 'A roof.' },
    traceHeaders,
  })

const finishFirstStep: QuotePipeline['start'] = (_, { report }) =>
  report.stepCompleted('requirement_analysis')

describe('the trace of the request that started a quote', () => {
  it('continues in the start of the pipeline, in its reports and in each attempt', async () => {
    await open(
      ({ headers }) => ({
        status: headers['x-service-event-id'] && receiver.requests.length < 2 ? 500 : 204,
      }),
      {
        pipeline: { start: finishFirstStep },
        delivery: NO_WAITING,
      },
    )
    await host.createEndpoint(receiver.url)
    const request = await inSpan('POST /quotations', async (span) => {
      await start(host.integrations)
      return span.spanContext()
    })

    await run()

    const attempts = await spansOf(/^send /, 2)
    const [pipeline] = await spansOf(/^process /)
    expect(pipeline?.parentSpanContext).toMatchObject({ spanId: request.spanId, isRemote: true })
    for (const span of attempts) expect(span.spanContext().traceId).toBe(request.traceId)
    const parents = attempts.map(({ parentSpanContext }) => parentSpanContext?.spanId)
    expect(parents).toEqual(Array(2).fill(pipeline?.spanContext().spanId))
  })

  it("is taken from the client's headers without an active span, with its state", async () => {
    await open()
    await host.createEndpoint(receiver.url)
    const { quotation_id } = await start(host.integrations, {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'vendor=1',
    })
    await host.integrations.pipeline(quotation_id).stepCompleted('requirement_analysis')

    await run()

    for (const [span] of [await spansOf(/^process /), await spansOf(/^send /)]) {
      expect(span?.parentSpanContext).toMatchObject({
        traceId: '0af7651916cd43dd8448eb211c80319c',
        spanId: 'b7ad6b7169203331',
      })
      expect(span?.spanContext().traceState?.serialize()).toBe('vendor=1')
    }
  })

  it("is ignored if the client's headers are invalid", async () => {
    await open()
    await start(host.integrations, { traceparent: 'junk', tracestate: 'vendor=1' })

    await run()

    const [span] = await spansOf(/^process /)
    expect(span?.parentSpanContext).toBeUndefined()
    expect(span?.attributes['quickquote.organization.id']).toBe(ORGANIZATION)
  })

  it('is replaced by the span in which a report is made', async () => {
    await open()
    await host.createEndpoint(receiver.url)
    const { quotation_id } = await inSpan('POST /quotations', () => start(host.integrations))
    const job = await inSpan('a job of the host', async (span) => {
      await host.integrations.pipeline(quotation_id).stepCompleted('requirement_analysis')
      return span.spanContext()
    })

    await run()

    const [attempt] = await spansOf(/^send /)
    expect(attempt?.parentSpanContext?.spanId).toBe(job.spanId)
  })

  it('is not sent to receivers, even if the host instruments its HTTP clients', async () => {
    instrumentation.enable()
    await open()
    await host.createEndpoint(receiver.url)
    const { quotation_id } = await inSpan('POST /quotations', () => start(host.integrations))
    await host.integrations.pipeline(quotation_id).stepCompleted('requirement_analysis')

    await run()

    const { headers } = await receiver.next()
    await spansOf(/^send /)
    instrumentation.disable()
    expect(Object.keys(headers)).not.toContain('traceparent')
    expect(Object.keys(headers)).not.toContain('tracestate')
    expect(sdk.spans(/^POST$/)).toEqual([])
  })
})

describe('the span of an attempt', () => {
  it('describes the request and its result, without path, query or secret', async () => {
    await open(() => ({ status: 503 }), { delivery: { ...NO_WAITING, maxAttempts: 2 } })
    const { id, secret } = await host.createEndpoint(`${receiver.url}/hooks/sesame?token=sesame`)
    const quotationId = await host.finishStep()

    await run()

    const [, last] = await spansOf(/^send /, 2)
    expect(last).toMatchObject({
      name: 'send quotation.requirement_analysis.completed',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.ERROR, message: 'The receiver answered 503.' },
      attributes: {
        'messaging.system': 'quickquote',
        'messaging.operation.name': 'send',
        'messaging.operation.type': 'send',
        'messaging.destination.name': 'quotation.requirement_analysis.completed',
        'messaging.message.id': receiver.requests[0]?.headers['x-service-event-id'],
        'http.request.method': 'POST',
        'http.response.status_code': 503,
        'http.request.resend_count': 1,
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(receiver.url).port),
        'error.type': '503',
        'quickquote.outcome': 'exhausted',
        'quickquote.endpoint.id': id,
        'quickquote.organization.id': ORGANIZATION,
        'quickquote.quotation.id': quotationId,
        'quickquote.delivery.id': expect.any(String),
      },
    })
    const exported = JSON.stringify(
      sdk.spans(/./).map(({ name, attributes, status, events }) => [name, attributes, status, events]),
    )
    expect(exported).not.toContain('sesame')
    expect(exported).not.toContain(secret)
  })

  it('of a failed pipeline start has the name of the error, not its message', async () => {
    await open(undefined, {
      pipeline: { start: () => Promise.reject(new TypeError('sesame')) },
      start: { maxAttempts: 1 },
    })
    await start(host.integrations)

    await run()

    const [span] = await spansOf(/^process /)
    expect(span).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'TypeError', 'quickquote.attempt': 1 },
    })
    expect(JSON.stringify([span?.attributes, span?.status, span?.events])).not.toContain('sesame')
  })
})

describe('metrics', () => {
  it('count attempts and starts by outcome, and measure their duration and lag', async () => {
    await open(() => ({ status: receiver.requests.length < 3 ? 500 : 204 }), { delivery: NO_WAITING })
    await host.createEndpoint(receiver.url)
    const before = await sdk.collect()
    await host.finishStep()

    await run()
    await spansOf(/^send /, 3)
    await spansOf(/^process /)

    const after = await sdk.collect()
    const outcome = { 'quickquote.outcome': 'succeeded' }
    const grown = (name: string, attributes: object) =>
      Number(valueAt(after, name, attributes) ?? 0) - Number(valueAt(before, name, attributes) ?? 0)
    expect(grown('quickquote.delivery.attempts', outcome)).toBe(1)
    expect(
      grown('quickquote.delivery.attempts', { 'quickquote.outcome': 'failed', 'error.type': '500' }),
    ).toBe(2)
    expect(grown('quickquote.pipeline_starts', { 'quickquote.outcome': 'started' })).toBe(1)
    expect(valueAt(after, 'quickquote.delivery.attempt.duration', outcome)).toMatchObject({
      count: expect.any(Number),
      sum: expect.any(Number),
    })
    expect(valueAt(after, 'quickquote.delivery.lag', {})).toMatchObject({ min: expect.any(Number) })
  })

  it('count requests that were sent once more, since the receiver had closed their connection', async () => {
    await open(() => (receiver.requests.length === 2 ? { reset: true } : { status: 204 }))
    await host.createEndpoint(receiver.url)
    await run()
    const before = await sdk.collect()
    for (const attempts of [1, 2]) {
      await host.finishStep()
      await spansOf(/^send /, attempts)
    }

    const name = 'quickquote.delivery.resends'
    expect(receiver.requests).toHaveLength(3)
    expect(Number(valueAt(await sdk.collect(), name, {})) - Number(valueAt(before, name, {}) ?? 0)).toBe(1)
  })

  it('show waiting work and work in flight, with one statement per collection', async () => {
    await open(() => ({ hang: true }))
    const endpoint = await host.createEndpoint(receiver.url)
    const { storage } = host.integrations
    const read = storage.telemetry.readQueueState
    let statements = 0
    Object.assign(storage.telemetry, {
      readQueueState: (now: Date) => {
        statements += 1
        return read(now)
      },
    })
    const worker = host.createWorker({ ca: certificate.cert, concurrency: 1 })
    await worker.start()
    await host.finishStep()
    await receiver.next()
    await host.finishStep()
    await host.finishStep()
    await host.sql`update quickquote.deliveries set due_at = now() + interval '1 h'
      where id = (select id from quickquote.deliveries where leased_by is null limit 1)`
    await host.sql`update quickquote.deliveries set due_at = now() - interval '1 h 1 s'
      where leased_by is null and due_at < now()`

    const points = await sdk.collect()

    expect(points.get('quickquote.delivery.queue.depth')).toEqual([
      { attributes: { 'quickquote.queue.state': 'due' }, value: 1 },
      { attributes: { 'quickquote.queue.state': 'paused' }, value: 0 },
      { attributes: { 'quickquote.queue.state': 'scheduled' }, value: 1 },
    ])
    const age = Number(valueAt(points, 'quickquote.delivery.queue.oldest_age', {}))
    expect(age).toBeGreaterThanOrEqual(3600)
    expect(valueAt(points, 'quickquote.delivery.in_flight', {})).toBe(1)
    expect(statements).toBe(1)
    expect(endpoint.id).toBeDefined()

    await worker.stop({ deadlineMs: 0 })
    await sdk.collect()
    expect(statements).toBe(1)
  })

  it('continue without the queue while the database is down', async () => {
    await open()
    await run()
    await host.sql`alter table quickquote.deliveries rename to hidden`

    const points = await sdk.collect()

    expect(points.get('quickquote.delivery.in_flight')).toEqual([{ attributes: {}, value: 0 }])
    expect(host.logs.map(({ message }) => message)).toContain('the queue could not be measured')
    await host.sql`alter table quickquote.hidden rename to deliveries`
  })

  function valueAt(
    points: Awaited<ReturnType<typeof sdk.collect>>,
    name: string,
    attributes: object,
  ): unknown {
    const wanted = JSON.stringify(attributes)
    return points.get(name)?.find((point) => JSON.stringify(point.attributes) === wanted)?.value
  }
})
