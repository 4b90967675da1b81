import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { activeTraceContext, parseTraceContext } from '../src/lib/trace-context.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'
const traceparent = `00-${TRACE_ID}-${SPAN_ID}-01`

describe('the headers of W3C Trace Context', () => {
  it('are kept unchanged', () => {
    const tracestate = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'
    expect(parseTraceContext({ traceparent, tracestate })).toEqual({ traceparent, tracestate })
    expect(parseTraceContext({ traceparent })).toEqual({ traceparent, tracestate: null })
  })

  it('of a later version are read as far as they are known', () => {
    expect(
      parseTraceContext({ traceparent: `cc-${TRACE_ID}-${SPAN_ID}-01-what-the-future-will-be` }),
    ).toEqual({
      traceparent,
      tracestate: null,
    })
  })

  it.each([
    undefined,
    null,
    7,
    '',
    'junk',
    [traceparent],
    `${traceparent}, ${traceparent}`,
    `${traceparent}-more`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `0-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
    `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`,
    `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `00-${TRACE_ID}-${SPAN_ID}`,
    `00-${TRACE_ID}-${SPAN_ID}-x1`,
  ])('are ignored if invalid: %j', (junk) => {
    expect(parseTraceContext({ traceparent: junk })).toBeNull()
  })

  it.each(['junk', '=', 'a=\u0000', ['a=1'], 7])(
    'keep their parent if the state is invalid: %j',
    (tracestate) => {
      expect(parseTraceContext({ traceparent, tracestate })).toEqual({ traceparent, tracestate: null })
    },
  )

  it('are never stored longer than the standard allows, or with unprintable characters', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 600 }), fc.constant(`a=1,${'b=2,'.repeat(900)}`)),
        (tracestate) => {
          const state = parseTraceContext({ traceparent, tracestate })?.tracestate ?? ''
          expect(state).toMatch(/^[ -~]{0,512}$/)
        },
      ),
    )
  })
})

it('without an OpenTelemetry SDK no span is active', () => {
  expect(activeTraceContext()).toBeNull()
})
