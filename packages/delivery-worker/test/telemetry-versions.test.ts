import * as ownApi from '@opentelemetry/api'
import * as newerApi from 'opentelemetry-api-1.10'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ORGANIZATION, openHost } from './support/host.ts'
import { registerSdk } from './support/open-telemetry.ts'

/** Two copies differ only in private fields. */
const HOSTS: readonly (readonly [string, typeof ownApi])[] = [
  ['1.9', ownApi],
  ['1.10', newerApi as unknown as typeof ownApi],
]

describe.each(HOSTS)('In a host with the OpenTelemetry SDK 2 and version %s of its API', (_, api) => {
  it('our spans are below the span of the request that started the quote', async () => {
    // The first copy that registers anything decides on the version of all.
    Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1'))
    const sdk = registerSdk(api)
    onTestFinished(sdk.shutdown)
    const host = await openHost()
    await api.trace.getTracer('host').startActiveSpan('POST /quotations', async (span) => {
      await host.integrations.quotations.start({
        organizationId: ORGANIZATION,
        source: 'api_key',
        body: { requirementsText: 'A roof.' },
        traceHeaders: {},
      })
      span.end()
    })
    const worker = host.createWorker()
    await worker.start()
    await worker.idle()

    const [request] = sdk.spans(/^POST \/quotations$/)
    const [started] = sdk.spans(/pipeline/)
    const { traceId, spanId } = request?.spanContext() ?? {}
    expect(started?.parentSpanContext).toMatchObject({ traceId, spanId: String(spanId) })
  })
})
