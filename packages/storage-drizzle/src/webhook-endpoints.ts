import type { WebhookEndpointStorage } from '@quickquote/core'
import { and, eq, isNull } from 'drizzle-orm'
import type { Database } from './database.ts'

/** Webhook endpoints in PostgreSQL: see WebhookEndpointStorage. */
export function webhookEndpointStorage(database: Database): WebhookEndpointStorage {
  const { webhookEndpoints } = database.tables

  return {
    async insertWebhookEndpoint(endpoint, secret, maximum) {
      return database.transaction(async ({ db, run, schema }) => {
        // Two that are made at once must count each other: the count has to begin after the lock was taken.
        await run('select pg_advisory_xact_lock(hashtextextended($1::text, 0))', [
          `${schema} endpoints of ${endpoint.organization_id}`,
        ])
        const existing = await db.$count(
          webhookEndpoints,
          and(
            eq(webhookEndpoints.organization_id, endpoint.organization_id),
            isNull(webhookEndpoints.deleted_at),
          ),
        )
        if (existing >= maximum) return false
        await db
          .insert(webhookEndpoints)
          .values({ ...endpoint, secret_ciphertext: secret.ciphertext, secret_key_id: secret.keyId })
        return true
      })
    },
  }
}
