import type { Static } from '@sinclair/typebox'
import type { OptionsOf, OptionTable } from '../lib/option-check.ts'
import { Nullable, OneOf, Timestamp, Uuid } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import { QUOTATION_STATUSES } from './quotation.ts'

export const API_KEY_OPTIONS = {
  /** Whether the newest requests with a key are recorded with the IP address that they came from. Default true. */
  recordAddresses: { default: true },
} as const satisfies OptionTable
export type ApiKeyPolicy = OptionsOf<typeof API_KEY_OPTIONS>

/** Days (UTC) that are counted, including today. */
export const USE_DAYS = 30
/** The newest requests of a key that are kept. */
export const MOST_REQUESTS = 100

export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const
export type StatusClass = (typeof STATUS_CLASSES)[number]

const ApiKeyDay = Type.Object({
  date: Type.String({ format: 'date', description: 'The day, in UTC.' }),
  answered: Type.Integer({ description: 'Requests that succeeded: a status below 400.' }),
  refused: Type.Integer({ description: 'All others, including those that the key was not allowed to make.' }),
  statuses: Type.Object(
    { '2xx': Type.Integer(), '3xx': Type.Integer(), '4xx': Type.Integer(), '5xx': Type.Integer() },
    { description: 'The same requests, by the class of their status.' },
  ),
})
export type ApiKeyDay = Static<typeof ApiKeyDay>

const ApiKeyRequest = Type.Object({
  at: Timestamp,
  method: Type.String(),
  route: Type.String({ description: 'The pattern of the path, such as `/v1/integrations/quotations/:id`.' }),
  status: Type.Integer(),
  address: Nullable(Type.String(), 'The IP address. Null if the application does not record it.'),
  request_id: Type.String({ description: 'The `X-Request-Id` of the response.' }),
})
export type ApiKeyRequest = Static<typeof ApiKeyRequest>

/** The same, before it is written: `at` in milliseconds since 1970, which cost less. */
export interface NotedRequest extends Omit<ApiKeyRequest, 'at'> {
  readonly at: number
}

/** What was done with a key. */
export const UsesOfApiKey = Type.Object(
  {
    days: Type.Array(ApiKeyDay, { description: `The last ${USE_DAYS} days, oldest first.` }),
    requests: Type.Array(ApiKeyRequest, { description: `The newest ${MOST_REQUESTS}, newest first.` }),
  },
  { title: 'ApiKeyUses' },
)
export type UsesOfApiKey = Static<typeof UsesOfApiKey>

/** The newest quotes of a key that are listed. */
export const MOST_QUOTATIONS_OF_KEY = 20

/** A quote that was started with a key. */
export const QuotationOfApiKey = Type.Object(
  { id: Uuid, name: Type.String(), status: OneOf(QUOTATION_STATUSES), created_at: Timestamp },
  { title: 'ApiKeyQuotation' },
)
export type QuotationOfApiKey = Static<typeof QuotationOfApiKey>

/** Requests of a day (UTC) with a key, by the class of their status. */
export interface CountedDay {
  /** The number of the day since 1970. */
  readonly day: number
  readonly counts: Readonly<Record<StatusClass, number>>
}

const DAY_MS = 24 * 60 * 60 * 1000

export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

export const NO_USES: CountedDay['counts'] = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }

/** Every day until `now`, those without a request too. */
export function toDays(counted: readonly CountedDay[], now: Date): ApiKeyDay[] {
  const known = new Map(counted.map(({ day, counts }) => [day, counts]))
  return Array.from({ length: USE_DAYS }, (_, index) => {
    const day = dayOf(now.getTime()) - (USE_DAYS - 1) + index
    const statuses = known.get(day) ?? NO_USES
    return {
      date: dateOf(day),
      answered: statuses['2xx'] + statuses['3xx'],
      refused: statuses['4xx'] + statuses['5xx'],
      statuses,
    }
  })
}
