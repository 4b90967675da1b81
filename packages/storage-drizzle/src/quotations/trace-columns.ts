import type { TraceContext } from '@quickquote/core'

/** The trace of a row. */
export interface TraceColumns {
  readonly traceparent: string | null
  readonly tracestate: string | null
}

export function traceOf({ traceparent, tracestate }: TraceColumns): TraceContext | null {
  return traceparent === null ? null : { traceparent, tracestate }
}
