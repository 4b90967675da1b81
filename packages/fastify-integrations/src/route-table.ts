import type { Integrations } from '@quickquote/core'
import { type DescribeMembers, memberNames } from './answers/member-names.ts'
import { createWaits } from './limits/waits.ts'
import type { Area } from './route.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { auditLogRoutes } from './routes/audit-log.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { eventRoutes } from './routes/events.ts'
import { meRoutes } from './routes/me.ts'
import { proposalRoutes } from './routes/proposals.ts'
import { quotationRoutes } from './routes/quotations.ts'
import { replayRoutes } from './routes/replays.ts'
import { webhookRoutes } from './routes/webhooks.ts'

const PARTNER_PREFIX = '/v1/integrations'
const ORGANIZATION_PREFIX = '/v1/organizations/:organizationId'

/**
 * All routes, with their access.
 * @param options.apiKeyRoutes false for a host with its own key screens
 */
export function routeTable(
  integrations: Integrations,
  options: { apiKeyRoutes: boolean; describeMembers?: DescribeMembers | undefined },
): readonly Area[] {
  const names = memberNames(integrations, options.describeMembers)
  const waits = createWaits(integrations.settings.limits)
  const partner: Area = {
    prefix: PARTNER_PREFIX,
    kind: 'partner',
    routes: [
      ...quotationRoutes(integrations, waits),
      ...proposalRoutes(integrations),
      ...eventRoutes(integrations, waits),
    ],
  }
  const apiKeys: Area = {
    prefix: `${ORGANIZATION_PREFIX}/api-keys`,
    kind: 'session',
    routes: apiKeyRoutes(integrations, names),
  }
  const webhooks: Area = {
    prefix: `${ORGANIZATION_PREFIX}/webhooks`,
    kind: 'session',
    routes: [...webhookRoutes(integrations), ...deliveryRoutes(integrations), ...replayRoutes(integrations)],
  }
  const me: Area = { prefix: `${ORGANIZATION_PREFIX}/me`, kind: 'session', routes: meRoutes(names) }
  const auditLog: Area = {
    prefix: `${ORGANIZATION_PREFIX}/audit-log`,
    kind: 'session',
    routes: auditLogRoutes(integrations, names),
  }
  return [partner, ...(options.apiKeyRoutes ? [apiKeys] : []), webhooks, auditLog, me]
}
