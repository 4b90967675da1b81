import { EVENT_TYPES, type WebhookEndpoint } from '@quickquote/core'
import { call } from './api-client.ts'
import { ACME, DEMO_PASSWORD } from './members.ts'

const ENDPOINT_NAME = 'demo: the receiver of the partner'
const KEY_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Does over HTTP what an admin of Acme does in the web app: signs in, creates an API key and a webhook endpoint. The
 * demo stores no secrets, so with data of an earlier start it creates a new key, and gives the existing endpoint the
 * URL of the current receiver and a new secret.
 */
export async function seed(
  apiUrl: string,
  receiverUrl: string,
): Promise<{ apiKey: string; signingSecret: string; isNewEndpoint: boolean }> {
  const { body: session } = await call<{ token: string }>(`${apiUrl}/login`, {
    status: 200,
    body: { email: 'admin@acme.example', password: DEMO_PASSWORD },
  })
  const headers = { Authorization: `Bearer ${session.token}` }
  const organization = `${apiUrl}/v1/organizations/${ACME}`

  const now = Date.now()
  const { body: key } = await call<{ key: string }>(`${organization}/api-keys`, {
    status: 201,
    headers,
    body: {
      name: `demo ${new Date(now).toISOString()}`,
      expires_at: new Date(now + KEY_LIFETIME_MS).toISOString(),
    },
  })

  const { body: endpoints } = await call<WebhookEndpoint[]>(`${organization}/webhooks`, {
    status: 200,
    headers,
  })
  const known = endpoints.find(({ name }) => name === ENDPOINT_NAME)
  if (known === undefined) {
    const { body: created } = await call<{ secret: string }>(`${organization}/webhooks`, {
      status: 201,
      headers,
      // `always`: also quotes of the web app.
      body: { name: ENDPOINT_NAME, url: receiverUrl, events: EVENT_TYPES, trigger_mode: 'always' },
    })
    return { apiKey: key.key, signingSecret: created.secret, isNewEndpoint: true }
  }
  await call(`${organization}/webhooks/${known.id}`, {
    method: 'PATCH',
    status: 200,
    headers,
    body: { url: receiverUrl, is_enabled: true, trigger_mode: 'always' },
  })
  const { body: rotated } = await call<{ secret: string }>(
    `${organization}/webhooks/${known.id}/rotate-secret`,
    { status: 200, headers, body: {} },
  )
  return { apiKey: key.key, signingSecret: rotated.secret, isNewEndpoint: false }
}
