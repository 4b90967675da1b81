import type { PageRequest } from '@quickquote/core'
import { type AttemptFilter, type DeliveryIdentity, isUuid, type Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { pageParameters } from '../connection/page.ts'
import { isContradiction, listAttempts } from './attempt-list.sql.ts'
import {
  COUNT_BY_HOUR,
  COUNT_BY_HOUR_OF_ENDPOINT,
  ENDPOINT_STATISTICS,
  FIND_TYPE,
} from './delivery-hours.sql.ts'
import { FIND_ATTEMPTS, FIND_BODY, FIND_RESENDS, FIND_UNFINISHED, RESEND } from './delivery-log.sql.ts'

type AttemptPage = Awaited<ReturnType<Storage['deliveryLog']['listAttempts']>>
const NOTHING: AttemptPage = { items: [], reached: null }

/** The deliveries as members see them. */
export function deliveryLogStorage({ call, run, one, wake }: Database): Storage['deliveryLog'] {
  async function list(
    organizationId: string,
    { http_status, ...filter }: AttemptFilter,
    page: PageRequest,
  ): Promise<AttemptPage> {
    const found = await run(listAttempts({ http_status, ...filter }, page.after), {
      organization_id: organizationId,
      ...filter,
      from: http_status?.from ?? null,
      to: http_status?.to ?? null,
      ...pageParameters(page),
    })
    return {
      items: found.flatMap(({ is_match, is_last: _, ...attempt }) => (is_match ? [attempt] : [])),
      reached: found.find(({ is_last }) => is_last) ?? null,
    }
  }

  /** A rare type is not searched for in pages of others: what is counted is searched from its newest attempt on. */
  async function listType(
    organizationId: string,
    eventType: string,
    filter: AttemptFilter,
    page: PageRequest,
  ): Promise<AttemptPage> {
    const wanted = { organization_id: organizationId, event_type: eventType }
    const { counted_until: counted, last_at: last } = await one(FIND_TYPE, wanted)
    if (counted === null) return list(organizationId, filter, page)
    const isCounted = page.after !== null && page.after.created_at < counted
    const since = filter.since === null || filter.since < counted ? counted : filter.since
    const recent = isCounted ? NOTHING : await list(organizationId, { ...filter, since }, page)
    const limit = page.limit - recent.items.length
    if (recent.reached !== null || limit <= 0 || last === null) return recent
    const afterLast = new Date(last.getTime() + 1)
    const until = filter.until === null || filter.until > afterLast ? afterLast : filter.until
    const older = await list(organizationId, { ...filter, until }, { ...page, limit })
    return { items: [...recent.items, ...older.items], reached: older.reached }
  }

  return {
    listAttempts: (organizationId, filter, page) =>
      call('deliveryLog.listAttempts', async () => {
        if (isContradiction(filter)) return NOTHING
        const { event_type, event_id, quotation_ids } = filter
        const isSearch = event_type !== null && event_id === null && quotation_ids === null
        return isSearch
          ? listType(organizationId, event_type, filter, page)
          : list(organizationId, filter, page)
      }),

    find: (organizationId, id) =>
      call('deliveryLog.find', async () => {
        if (!isUuid(id)) return null
        const which = { organization_id: organizationId, id }
        // In this order: a delivery that ends in between is found by its attempts.
        const [unfinished] = await run(FIND_UNFINISHED, which)
        const attempts = await run(FIND_ATTEMPTS, which)
        const resends = await one(FIND_RESENDS, which)
        if (unfinished !== undefined) {
          const { due_at, ...delivery } = unfinished
          const next_attempt_at = delivery.status === 'pending' ? due_at : null
          return { ...delivery, id, next_attempt_at, ...resends, attempts }
        }
        const last = attempts.at(-1)
        if (last === undefined) return null
        const status = last.status === 'succeeded' ? 'succeeded' : 'failed'
        return { ...identityOf(id, last), status, next_attempt_at: null, ...resends, attempts }
      }),

    identify: (organizationId, id) =>
      call('deliveryLog.identify', async () => {
        if (!isUuid(id)) return null
        const which = { organization_id: organizationId, id }
        const [unfinished] = await run(FIND_UNFINISHED, which)
        const [found] = unfinished === undefined ? await run(FIND_ATTEMPTS, which) : [unfinished]
        return found === undefined ? null : identityOf(id, found)
      }),

    findBody: (organizationId, eventId) =>
      call('deliveryLog.findBody', async () => {
        const [event] = await run(FIND_BODY, { organization_id: organizationId, event_id: eventId })
        return event?.body ?? null
      }),

    countByHour: (organizationId, { endpoint_id, since, until }) =>
      call('deliveryLog.countByHour', () =>
        run(endpoint_id === null ? COUNT_BY_HOUR : COUNT_BY_HOUR_OF_ENDPOINT, {
          organization_id: organizationId,
          since,
          until,
          ...(endpoint_id !== null && { endpoint_id }),
        }),
      ),

    statistics: (organization_id, endpoint_id, limit) =>
      call('deliveryLog.statistics', async () => {
        const wanted = { organization_id, endpoint_id, limit }
        const { attempts, median_ms, p95_ms, ...failures } = await one(ENDPOINT_STATISTICS, wanted)
        return { attempts, median_ms, p95_ms, failures }
      }),

    resend: (organizationId, { id, event_id, endpoint_id }, now) =>
      call('deliveryLog.resend', async () => {
        const wanted = { id, organization_id: organizationId, event_id, endpoint_id, now }
        const [resent] = await run(RESEND, wanted)
        if (resent === undefined) return null
        await wake('deliveries')
        return resent
      }),
  }
}

function identityOf(id: string, found: Omit<DeliveryIdentity, 'id'>): DeliveryIdentity {
  const { event_id, event_type, endpoint_id, quotation_id, is_test } = found
  return { id, event_id, event_type, endpoint_id, quotation_id, is_test }
}
