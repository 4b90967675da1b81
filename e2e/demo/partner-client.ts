import { EVENT_TYPES } from '@quickquote/core'
import { call } from '../../examples/demo/src/api-client.ts'
import { ACME, DEMO_PASSWORD } from '../../examples/demo/src/members.ts'

/** Signs in as a member of Acme; by default, the admin. */
export async function signIn(url: string, email = 'admin@acme.example'): Promise<Record<string, string>> {
  const { body } = await call<{ token: string }>(`${url}/login`, {
    status: 200,
    body: { email, password: DEMO_PASSWORD },
  })
  return { Authorization: `Bearer ${body.token}` }
}

/** Creates a key and an endpoint for all events, as Acme's admin. */
export async function createPartner(
  url: string,
  endpoint: { url: string; trigger_mode?: string },
): Promise<{ apiKey: string; secret: string }> {
  const headers = await signIn(url)
  const apiKey = await createKey(url, headers)
  const { body: created } = await call<{ secret: string }>(`${url}/v1/organizations/${ACME}/webhooks`, {
    status: 201,
    headers,
    body: { name: 'test', events: EVENT_TYPES, ...endpoint },
  })
  return { apiKey, secret: created.secret }
}

/** @param session the headers of a member of Acme */
export async function createKey(url: string, session: Record<string, string>): Promise<string> {
  const { body } = await call<{ key: string }>(`${url}/v1/organizations/${ACME}/api-keys`, {
    status: 201,
    headers: session,
    body: { name: 'test', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
  })
  return body.key
}

/** Starts a headless quote and returns its ID. */
export async function startQuote(url: string, apiKey: string, body: object): Promise<string> {
  const { body: started } = await call<{ quotation_id: string }>(`${url}/v1/integrations/quotations`, {
    status: 202,
    headers: { 'X-API-Key': apiKey },
    body,
  })
  return started.quotation_id
}

/** Reads an existing resource of the partner API. */
export async function read<T>(url: string, apiKey: string, path: string): Promise<T> {
  const { body } = await call<T>(`${url}/v1/integrations${path}`, {
    status: 200,
    headers: { 'X-API-Key': apiKey },
  })
  return body
}
