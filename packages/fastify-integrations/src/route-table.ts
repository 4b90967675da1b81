import type { Integrations } from '@quickquote/core'
import { type DescribeMembers, memberNames } from './answers/member-names.ts'
import { createWaits } from './limits/waits.ts'
import type { Area, SessionRoute } from './route.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { auditLogRoutes } from './routes/audit-log.ts'
import { connectionRoutes } from './routes/connection.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { eventRoutes } from './routes/events.ts'
import { meRoutes } from './routes/me.ts'
import { proposalRoutes } from './routes/proposals.ts'
import { quotationRoutes } from './routes/quotations.ts'
import { replayRoutes } from './routes/replays.ts'
import { webhookRoutes } from './routes/webhooks.ts'

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
  const session = (path: string, routes: readonly SessionRoute[]): Area => ({
    prefix: `/v1/organizations/:organizationId${path}`,
    kind: 'session',
    routes,
  })
  return [
    {
      prefix: '/v1/integrations',
      kind: 'partner',
      routes: [
        ...connectionRoutes(integrations),
        ...quotationRoutes(integrations, waits),
        ...proposalRoutes(integrations),
        ...eventRoutes(integrations, waits),
      ],
    },
    ...(options.apiKeyRoutes ? [session('/api-keys', apiKeyRoutes(integrations, names))] : []),
    session('/webhooks', [
      ...webhookRoutes(integrations, names),
      ...deliveryRoutes(integrations),
      ...replayRoutes(integrations),
    ]),
    session('/audit-log', auditLogRoutes(integrations, names)),
    session('/me', meRoutes(integrations, names)),
  ]
}
