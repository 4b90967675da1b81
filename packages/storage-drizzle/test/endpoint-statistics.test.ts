import { randomUUID } from 'node:crypto'
import {
  DELIVERY_FAILURES,
  type DeliveryFailureCode,
  deliveryFailure,
  type EndpointStatistics,
} from '@quickquote/core/internal'
import { expect, it } from 'vitest'
import { openDatabase } from './support/database.ts'

const { sql, storage } = await openDatabase()
const organizationId = randomUUID()

const REASONS: Record<DeliveryFailureCode, keyof EndpointStatistics['failures']> = {
  timeout: 'timeout',
  connect_timeout: 'timeout',
  proxy_timeout: 'timeout',
  certificate: 'tls',
  tls: 'tls',
  connection_refused: 'refused',
  connection_reset: 'other',
  connection_closed: 'other',
  unreachable: 'other',
  dns_not_found: 'other',
  dns_no_address: 'other',
  dns_failed: 'other',
  not_http: 'other',
  headers_too_large: 'other',
  request_failed: 'other',
  contradictory_lengths: 'other',
  response_incomplete: 'other',
  worker_unable: 'other',
  address_blocked: 'other',
  worker_stopped: 'other',
  signing_failed: 'other',
  proxy_unreachable: 'other',
  proxy_credentials: 'other',
  proxy_refused: 'other',
  proxy_failed: 'other',
  proxy_not_http: 'other',
}

async function reasonsOf(error: string): Promise<string[]> {
  const endpointId = randomUUID()
  await sql`
    insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type,
      attempt, status, error, is_test, created_at)
    values (${randomUUID()}, ${randomUUID()}, ${organizationId}, ${endpointId}, ${randomUUID()}, 'quotation.failed', 1,
      'failed', ${error}, false, now())`
  const { failures } = await storage.deliveryLog.statistics(organizationId, endpointId, 10)
  return Object.entries(failures).flatMap(([reason, count]) => Array<string>(count).fill(reason))
}

it('every failure is counted under its reason, whatever its detail says', async () => {
  const counted: Record<string, string[]> = {}
  for (const code of Object.keys(DELIVERY_FAILURES) as DeliveryFailureCode[]) {
    counted[code] = await reasonsOf(deliveryFailure(code, 'a TLS connection refused, or timed out').error)
  }
  expect(counted).toEqual(
    Object.fromEntries(Object.entries(REASONS).map(([code, reason]) => [code, [reason]])),
  )
})
