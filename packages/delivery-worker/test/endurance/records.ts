import postgres from 'postgres'
import type { BegunDelivery, RecordedAttempt } from './reconcile.ts'

/** The work left in the queue. */
export interface Remains {
  readonly queued: number
  readonly leased: number
  readonly workers: number
}

export interface Records {
  remains(): Promise<Remains>
  countAttempts(): Promise<number>
  /** All attempts; the receiver is the last part of the endpoint's URL. */
  allAttempts(): Promise<RecordedAttempt[]>
  /** All events, with the receivers of their organizations. */
  allEvents(): Promise<{ id: string; receivers: string[] }[]>
  /** The deliveries that have not ended, with their attempts so far. */
  allBegun(): Promise<BegunDelivery[]>
  close(): Promise<void>
}

/** Reads the tables. Open it after the last restart: it does not retry. */
export function openRecords(databaseUrl: string): Records {
  const sql = postgres(databaseUrl, { max: 1, onnotice() {} })
  return {
    async remains() {
      const [row] = await sql<Remains[]>`
        select count(*)::int as queued, count(leased_by)::int as leased,
          (select count(*) from quickquote.workers)::int as workers
        from quickquote.deliveries`
      return row ?? { queued: Number.NaN, leased: Number.NaN, workers: Number.NaN }
    },
    async countAttempts() {
      const [row] = await sql<{ count: number }[]>`select count(*)::int from quickquote.delivery_attempts`
      return row?.count ?? 0
    },
    async allAttempts() {
      return [
        ...(await sql<RecordedAttempt[]>`
          select reverse(split_part(reverse(url), '/', 1)) as receiver, 'evt_' || event_id as event_id, attempt, status, http_status,
            error, attempt.created_at, next_attempt_at, response_body
          from quickquote.delivery_attempts attempt
          join quickquote.webhook_endpoints endpoint on endpoint.id = endpoint_id`),
      ]
    },
    async allEvents() {
      return [
        ...(await sql<{ id: string; receivers: string[] }[]>`
          select 'evt_' || event.id as id, receivers from quickquote.events event
          join (
            select organization_id, array_agg(reverse(split_part(reverse(url), '/', 1))) as receivers
            from quickquote.webhook_endpoints group by organization_id
          ) subscriber using (organization_id)`),
      ]
    },
    async allBegun() {
      return [
        ...(await sql<BegunDelivery[]>`
          select reverse(split_part(reverse(url), '/', 1)) as receiver, 'evt_' || event_id as event_id, attempt
          from quickquote.deliveries delivery
          join quickquote.webhook_endpoints endpoint on endpoint.id = endpoint_id
          where attempt > 0`),
      ]
    },
    close: () => sql.end(),
  }
}
