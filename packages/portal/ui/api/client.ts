import type { Http, Page } from './http.ts'
import type {
  ApiKey,
  ApiKeyQuotation,
  ApiKeyUses,
  Attempt,
  AuditEntry,
  CatalogEntry,
  CreatedApiKey,
  Delivery,
  DeliveryHour,
  EndpointInput,
  EndpointStatistics,
  EndpointWithSecret,
  Me,
  ReceiverCheck,
  Replay,
  ReplayCount,
  ReplayInput,
  TestResult,
  WebhookEndpoint,
  WebhookSummary,
} from './types.ts'

export type Query = Record<string, string | number | boolean | null | undefined>
type Cancel = AbortSignal | undefined

/** The session routes of one organization. */
export type Client = ReturnType<typeof createClient>

export function createClient(http: Http, organizationId: string) {
  const base = `v1/organizations/${encodeURIComponent(organizationId)}`
  const at = (path: string, query: Query = {}) => `${base}${path}${searchOf(query)}`
  const id = encodeURIComponent
  let catalog: Promise<CatalogEntry[]> | null = null

  return {
    me: (signal?: Cancel) => http.send<Me>(at('/me'), { signal }),

    apiKeys: {
      list: (query: Query, signal?: Cancel): Promise<Page<ApiKey>> =>
        http.list(at('/api-keys', query), { signal }),
      get: (key: string, signal?: Cancel) => http.send<ApiKey>(at(`/api-keys/${id(key)}`), { signal }),
      uses: (key: string, signal?: Cancel) =>
        http.send<ApiKeyUses>(at(`/api-keys/${id(key)}/uses`), { signal }),
      quotations: (key: string, signal?: Cancel) =>
        http.send<ApiKeyQuotation[]>(at(`/api-keys/${id(key)}/quotations`), { signal }),
      create: (body: { name: string; expires_at: string }) =>
        http.send<CreatedApiKey>(at('/api-keys'), { method: 'POST', body }),
      rename: (key: string, name: string) =>
        http.send<ApiKey>(at(`/api-keys/${id(key)}`), { method: 'PATCH', body: { name } }),
      roll: (key: string, body: { expires_at: string; overlap_seconds: number }) =>
        http.send<CreatedApiKey>(at(`/api-keys/${id(key)}/roll`), { method: 'POST', body }),
      activate: (key: string) => http.send<ApiKey>(at(`/api-keys/${id(key)}/activate`), { method: 'POST' }),
      deactivate: (key: string) =>
        http.send<ApiKey>(at(`/api-keys/${id(key)}/deactivate`), { method: 'POST' }),
      revoke: (key: string) => http.send<void>(at(`/api-keys/${id(key)}`), { method: 'DELETE' }),
    },

    endpoints: {
      list: (signal?: Cancel) => http.send<WebhookEndpoint[]>(at('/webhooks'), { signal }),
      summary: (signal?: Cancel) => http.send<WebhookSummary>(at('/webhooks/summary'), { signal }),
      get: (endpoint: string, signal?: Cancel) =>
        http.send<WebhookEndpoint>(at(`/webhooks/${id(endpoint)}`), { signal }),
      create: (body: EndpointInput) =>
        http.send<EndpointWithSecret>(at('/webhooks'), { method: 'POST', body }),
      update: (endpoint: string, body: Partial<EndpointInput> & { is_enabled?: boolean }) =>
        http.send<WebhookEndpoint>(at(`/webhooks/${id(endpoint)}`), { method: 'PATCH', body }),
      delete: (endpoint: string) => http.send<void>(at(`/webhooks/${id(endpoint)}`), { method: 'DELETE' }),
      rotate: (endpoint: string, overlap_seconds: number) =>
        http.send<EndpointWithSecret>(at(`/webhooks/${id(endpoint)}/rotate-secret`), {
          method: 'POST',
          body: { overlap_seconds },
        }),
      statistics: (endpoint: string, signal?: Cancel) =>
        http.send<EndpointStatistics>(at(`/webhooks/${id(endpoint)}/statistics`), { signal }),
      test: (endpoint: string, event_type: string) =>
        http.send<TestResult>(at(`/webhooks/${id(endpoint)}/test`), { method: 'POST', body: { event_type } }),
      check: (endpoint: string, event_type: string) =>
        http.send<ReceiverCheck>(at(`/webhooks/${id(endpoint)}/check`), {
          method: 'POST',
          body: { event_type },
        }),
    },

    /** The same while the service runs, so it is loaded once. */
    events: (): Promise<CatalogEntry[]> => {
      catalog ??= http.send<CatalogEntry[]>(at('/webhooks/events')).catch((error: unknown) => {
        catalog = null
        throw error
      })
      return catalog
    },

    deliveries: {
      list: (query: Query, signal?: Cancel): Promise<Page<Attempt>> =>
        http.list(at('/webhooks/deliveries', query), { signal }),
      get: (delivery: string, signal?: Cancel) =>
        http.send<Delivery>(at(`/webhooks/deliveries/${id(delivery)}`), { signal }),
      hours: (query: Query, signal?: Cancel) =>
        http.send<DeliveryHour[]>(at('/webhooks/deliveries/hours', query), { signal }),
      resend: (delivery: string) =>
        http.send<Delivery>(at(`/webhooks/deliveries/${id(delivery)}/resend`), { method: 'POST' }),
    },

    replays: {
      count: (endpoint: string, query: ReplayInput, signal?: Cancel) =>
        http.send<ReplayCount>(at(`/webhooks/${id(endpoint)}/replay/count`, { ...query }), { signal }),
      start: (endpoint: string, body: ReplayInput) =>
        http.send<Replay>(at(`/webhooks/${id(endpoint)}/replay`), { method: 'POST', body }),
      get: (endpoint: string, replay: string, signal?: Cancel) =>
        http.send<Replay>(at(`/webhooks/${id(endpoint)}/replays/${id(replay)}`), { signal }),
      list: (endpoint: string, signal?: Cancel) =>
        http.send<Replay[]>(at(`/webhooks/${id(endpoint)}/replays`), { signal }),
      stop: (endpoint: string, replay: string) =>
        http.send<Replay>(at(`/webhooks/${id(endpoint)}/replays/${id(replay)}/stop`), { method: 'POST' }),
    },

    auditLog: (query: Query, signal?: Cancel): Promise<Page<AuditEntry>> =>
      http.list(at('/audit-log', query), { signal }),
  }
}

function searchOf(query: Query): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
