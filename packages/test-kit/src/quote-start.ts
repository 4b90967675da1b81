import type { Integrations } from '@quickquote/core'

/** What the kit needs of a Fastify instance that has the plugin. It may listen, and need not. */
export interface HostApp {
  inject(request: {
    method: 'POST'
    url: string
    headers: Record<string, string>
    payload: string
  }): Promise<{ readonly statusCode: number; readonly body: string }>
}

/** Who starts a quote. */
interface Starter {
  readonly organizationId: string
  readonly apiKeyId: string
  readonly key: string
}

/** Starts a quote as a partner does, and tells its id. */
export type StartQuote = (partner: Starter, body: object) => Promise<string>

/** Through the host's app, so that its own hooks and limits count too; without one, through `integrations`. */
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
      throw new Error(`POST ${url} was answered ${statusCode}, not 202: ${answer.slice(0, 1000)}`)
    }
    return quotation_id
  }
}
