import type { TraceContext } from '@quickquote/core'

/** The two columns that tell what a row belongs to in a trace. */
export interface TraceColumns {
  readonly traceparent: string | null
  readonly tracestate: string | null
}

export function traceOf({ traceparent, tracestate }: TraceColumns): TraceContext | null {
  return traceparent === null ? null : { traceparent, tracestate }
}
