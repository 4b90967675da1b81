import type { Integrations } from '@quickquote/core'

/** A Fastify instance with the plugin, listening or not. */
export interface HostApp {
  inject(request: {
    method: 'POST'
    url: string
    headers: Record<string, string>
    payload: string
  }): Promise<{ readonly statusCode: number; readonly body: string }>
}

interface Starter {
  readonly organizationId: string
  readonly apiKeyId: string
  readonly key: string
}

/** Starts a quote like a partner, and returns its id. */
export type StartQuote = (partner: Starter, body: object) => Promise<string>

/** Starts it through the host's app, so that its hooks and limits apply; without an app, through `integrations`. */
export function createStartQuote(
  integrations: Integrations,
  app: HostApp | undefined,
  prefix: string,
): StartQuote {
  if (app === undefined) {
    return async ({ organizationId, apiKeyId }, body) => {
      const quote = { organizationId, apiKeyId, source: 'api_key', body } as const
      return (await integrations.quotations.start(quote)).quotation_id
    }
  }
  return async ({ key }, body) => {
    const url = `${prefix}/v1/integrations/quotations`
    const { statusCode, body: answer } = await app.inject({
      method: 'POST',
      url,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    })
    const { quotation_id } = statusCode === 202 ? JSON.parse(answer) : {}
    if (typeof quotation_id !== 'string') {
      throw new Error(`POST ${url} returned ${statusCode}, not 202: ${answer.slice(0, 1000)}`)
    }
    return quotation_id
  }
}
