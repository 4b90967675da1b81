import { QuotationFailedError, TimeoutError } from './errors.ts'
import { formOf, type RequirementsFile } from './files.ts'
import type { components } from './generated/openapi.ts'
import { checkNames, type Names } from './options.ts'
import { nextOf, type Pages, pages } from './pages.ts'
import { type CallOptions, given, LONGEST_WAIT_SECONDS, pathOf, type Requests } from './requests.ts'
import type { PipelineStatus, Quotation, StartedQuotation } from './schemas.ts'
import { sleep } from './waiting.ts'

/** The fields of a start. `requirementsText` or at least one file is required. */
export type StartQuotation = Partial<components['schemas']['StartQuotation']> & {
  /** At most 5 files of 10 MiB each, unless the service says otherwise. Sent as a form. */
  readonly files?: readonly RequirementsFile[]
}

export interface StartOptions extends CallOptions {
  /** Default: a new one for each call. Keep your own to repeat a start from another process. */
  readonly idempotencyKey?: string
}

export interface ListOptions extends CallOptions {
  readonly status?: Quotation['status']
  readonly source?: Quotation['source']
  /** Quotes started at this time or later. */
  readonly createdSince?: Date
  /** Quotes started before this time. */
  readonly createdUntil?: Date
  /** Quotes started with exactly this ID. */
  readonly externalId?: string
  /** Quotes per page: 1 to 100; default 50. */
  readonly limit?: number
}

export interface GetOptions extends CallOptions {
  /** Seconds to wait for a change, unless the quote has ended: 0 to 20. Default 0. */
  readonly waitSeconds?: number
  /** The `updated_at` that you know: returns at once if the quote has changed since. Default: the current one. */
  readonly since?: string
  /** `end` waits until the quote has completed or failed, `change` (default) for any change. */
  readonly until?: 'change' | 'end'
}

export interface WaitOptions extends CallOptions {
  /** How long to wait, in milliseconds. Default one hour. */
  readonly timeoutMs?: number
  /** Called with the summary at first and after each change. Each change costs one request more. */
  readonly onChange?: (quotation: Quotation) => void
}

export interface QuotationCalls {
  /**
   * Starts a Quick Quote and returns at once. The client's own retries never start a second quote.
   * @throws ValidationError, ConflictError, and the errors of every call
   */
  start(body: StartQuotation, options?: StartOptions): Promise<StartedQuotation>
  /** @throws NotFoundError, ForbiddenError */
  get(id: string, options?: GetOptions): Promise<Quotation>
  /**
   * Cancels a quote, which then has failed with CANCELLED. Safe to repeat.
   * @throws ConflictError if it ended otherwise; NotFoundError, ForbiddenError
   */
  cancel(id: string, options?: CallOptions): Promise<Quotation>
  /** Your organization's quotes, newest first, including those of the web app. */
  list(options?: ListOptions): Pages<Quotation>
  /** The progress of each step. @throws NotFoundError, ForbiddenError */
  pipeline(id: string, options?: CallOptions): Promise<PipelineStatus>
  /**
   * Waits until a quote completes, which it sees within a second, with at most four requests a minute. If the service does
   * not wait, because too many requests do, it asks every 20 seconds.
   * @throws QuotationFailedError if it failed
   * @throws TimeoutError after the timeout; the quote itself continues
   */
  waitFor(id: string, options?: WaitOptions): Promise<Quotation>
}

const START_BODY: Names<StartQuotation> = {
  name: true,
  description: true,
  requirementsText: true,
  files: true,
  metadata: true,
  config_id: true,
  external_id: true,
}
const START: Names<StartOptions> = { idempotencyKey: true, signal: true }
const GET: Names<GetOptions> = { waitSeconds: true, since: true, until: true, signal: true }
const LIST: Names<ListOptions> = {
  status: true,
  source: true,
  createdSince: true,
  createdUntil: true,
  externalId: true,
  limit: true,
  signal: true,
}
const WAIT: Names<WaitOptions> = { timeoutMs: true, onChange: true, signal: true }

/** Fields of each quote. */
const QUOTATION = ['id', 'status']
const HOUR_MS = 3_600_000

export function quotationCalls(request: Requests): QuotationCalls {
  async function get(id: string, options: GetOptions = {}) {
    checkNames(options, GET)
    const { waitSeconds, since, until, signal: aborted } = options
    const query = given({ wait: waitSeconds, since, until })
    const { data } = await request(
      (client, signal) =>
        client.GET('/v1/integrations/quotations/{id}', {
          params: { ...pathOf(id), query },
          signal,
        }),
      QUOTATION,
      { signal: aborted },
      (waitSeconds ?? 0) * 1000,
    )
    return data
  }

  return {
    get,

    async start(body, options = {}) {
      checkNames(body, START_BODY)
      checkNames(options, START)
      const { files = [], ...fields } = body
      const { idempotencyKey = crypto.randomUUID(), signal: aborted } = options
      const form = files.length > 0 ? await formOf(fields, files) : undefined
      const { data } = await request(
        (client, signal) =>
          client.POST('/v1/integrations/quotations', {
            params: { header: { 'Idempotency-Key': idempotencyKey } },
            body: fields as components['schemas']['StartQuotation'],
            ...(form !== undefined && { bodySerializer: () => form }),
            signal,
          }),
        ['quotation_id', 'status'],
        { signal: aborted },
      )
      return data
    },

    list(options = {}) {
      checkNames(options, LIST)
      const { status, source, createdSince, createdUntil, externalId, limit, signal: aborted } = options
      const query = {
        status,
        source,
        created_since: createdSince?.toISOString(),
        created_until: createdUntil?.toISOString(),
        external_id: externalId,
        limit,
      }
      return pages(async (cursor) => {
        const { data, headers } = await request(
          (client, signal) =>
            client.GET('/v1/integrations/quotations', {
              params: { query: given({ ...query, cursor }) },
              signal,
            }),
          [QUOTATION],
          { signal: aborted },
        )
        return { items: data, next: nextOf(headers, 'cursor') }
      })
    },

    async cancel(id, options) {
      const { data } = await request(
        (client, signal) =>
          client.POST('/v1/integrations/quotations/{id}/cancel', { params: pathOf(id), signal }),
        QUOTATION,
        options,
      )
      return data
    },

    async pipeline(id, options) {
      const { data } = await request(
        (client, signal) =>
          client.GET('/v1/integrations/quotations/{id}/pipeline', { params: pathOf(id), signal }),
        ['quotation_id', 'status'],
        options,
      )
      return data
    },

    async waitFor(id, options = {}) {
      checkNames(options, WAIT)
      const { timeoutMs = HOUR_MS, onChange, signal } = options
      // The clock plus a text would be a text.
      if (typeof timeoutMs !== 'number' || Number.isNaN(timeoutMs)) {
        throw new TypeError('waitFor: timeoutMs must be a number')
      }
      const deadline = performance.now() + timeoutMs
      for (let known: Quotation | undefined; ; ) {
        const begun = performance.now()
        const waitSeconds = Math.min(Math.max(Math.floor((deadline - begun) / 1000), 0), LONGEST_WAIT_SECONDS)
        const change = known === undefined ? {} : { waitSeconds, since: known.updated_at }
        const wait = onChange === undefined ? { waitSeconds, until: 'end' as const } : change
        const quotation = await get(id, { ...wait, signal })
        if (quotation.updated_at !== known?.updated_at) onChange?.(quotation)
        if (quotation.status === 'completed') return quotation
        if (quotation.status === 'failed') throw new QuotationFailedError(quotation)
        const ended = performance.now()
        if (ended >= deadline) {
          throw new TimeoutError(`The quote ${id} was still ${quotation.status} after ${timeoutMs} ms`)
        }
        const isRefused = known !== undefined && quotation.updated_at === known.updated_at
        const nextAt = isRefused ? begun + LONGEST_WAIT_SECONDS * 1000 : ended
        // The last request is at the deadline.
        await sleep(Math.max(Math.min(nextAt, deadline) - ended, 0), signal)
        known = quotation
      }
    },
  }
}
