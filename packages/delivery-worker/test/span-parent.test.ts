import { trace } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { parentOf } from '../src/telemetry/telemetry.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'
const traceparent = `00-${TRACE_ID}-${SPAN_ID}-01`

it("a span's parent is created from the stored headers, as a remote one", () => {
  const { traceState, ...parent } = trace.getSpanContext(parentOf({ traceparent, tracestate: 'a=1' })) ?? {}
  expect(parent).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: 1, isRemote: true })
  expect(traceState?.serialize()).toBe('a=1')
  expect(trace.getSpanContext(parentOf({ traceparent, tracestate: null }))).toBeDefined()
})
