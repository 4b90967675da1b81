import { IntegrationError, invalidField } from '../lib/errors.ts'
import { givenOptions } from '../lib/fields.ts'
import { newId } from '../lib/new-id.ts'
import type { SecretValue } from '../lib/secret-value.ts'
import { requireFound } from '../lib/tenancy.ts'
import { validate } from '../lib/validator.ts'
import {
  decryptHeaders,
  type EndpointHeaders,
  encryptHeaders,
  mergeHeaders,
  type SentHeaders,
  wholeHeaders,
} from '../model/endpoint-headers.ts'
import { type CatalogEntry, eventCatalogOf } from '../model/event-catalog.ts'
import { type Member, requireManageIntegrations, requireViewIntegrations } from '../model/session.ts'
import { generateSigningSecret, signingSecretHint } from '../model/signing-secret.ts'
import {
  type CreateWebhookEndpointBody,
  createWebhookEndpointBody,
  ENDPOINT_DEFAULTS,
  type RotateSecretBody,
  rotateSecretBody,
  summaryOf,
  type UpdateWebhookEndpointBody,
  updateWebhookEndpointBody,
  type WebhookEndpoint,
  type WebhookSummary,
} from '../model/webhook-endpoint.ts'
import { webhookUrlProblem } from '../model/webhook-url.ts'
import type { Context, Settings } from '../settings.ts'
import type { EndpointCondition } from '../storage/endpoint-health.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredWebhookEndpoint, WebhookEndpointChange } from '../storage/webhook-endpoints.ts'
import { audit, auditChanges } from './audit-log.ts'
import { claimNewestKey } from './encryption-keys.ts'

/**
 * The webhook endpoints of an organization. Reading requires `view_integrations`, changes
 * `manage_integrations` (PERMISSION_REQUIRED). Deleted
 * endpoints and those of other organizations are WEBHOOK_ENDPOINT_NOT_FOUND.
 */
export interface WebhookEndpoints {
  /** All event types, with descriptions and examples. */
  eventCatalog(member: Member): readonly CatalogEntry[]
  /** All endpoints, oldest first, without deleted ones. */
  list(member: Member): Promise<WebhookEndpoint[]>
  /** Counts and the newest `updated_at`, from which a screen knows whether to list them again. */
  summary(member: Member): Promise<WebhookSummary>
  /** @throws IntegrationError WEBHOOK_ENDPOINT_NOT_FOUND */
  get(member: Member, id: string): Promise<WebhookEndpoint>
  /**
   * Creates an endpoint. Only this result contains the signing secret, as `secret`.
   * @throws IntegrationError VALIDATION_FAILED, WEBHOOK_ENDPOINT_LIMIT_REACHED
   */
  create(member: Member, body: CreateWebhookEndpointBody): Promise<WebhookEndpoint & { secret: SecretValue }>
  /**
   * Changes the fields in `body`. Disabling parks pending deliveries: they are sent only if someone resends them.
   * @throws IntegrationError VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND; SERVICE_UNAVAILABLE if headers are to be
   * merged and their encryption key is missing
   */
  update(member: Member, id: string, body: UpdateWebhookEndpointBody): Promise<WebhookEndpoint>
  /**
   * Deletes softly: pending deliveries are parked, and the delivery history is kept.
   * @throws IntegrationError WEBHOOK_ENDPOINT_NOT_FOUND
   */
  delete(member: Member, id: string): Promise<void>
  /**
   * Issues a new signing secret, which only this result contains, as `secret`. The old one becomes invalid at once, or
   * also signs for `overlap_seconds`. Earlier ones sign until the end they were given; a fourth ends the oldest.
   * @throws IntegrationError VALIDATION_FAILED, WEBHOOK_ENDPOINT_NOT_FOUND
   */
  rotateSecret(
    member: Member,
    id: string,
    body?: RotateSecretBody,
  ): Promise<WebhookEndpoint & { secret: SecretValue }>
}

type EndpointPort = 'webhookEndpoints' | 'endpointHealth' | 'signingSecrets' | 'inspection' | 'auditLog'
type EndpointContext = Context<EndpointPort>
/** In a transaction. */
type Locked = Pick<Storage, EndpointPort>

export function createWebhookEndpoints(context: EndpointContext): WebhookEndpoints {
  const { storage, settings } = context

  async function list(member: Member): Promise<WebhookEndpoint[]> {
    requireViewIntegrations(member)
    return withHealth(context, member, await storage.webhookEndpoints.list(member.organizationId))
  }

  return {
    eventCatalog(member) {
      requireViewIntegrations(member)
      return eventCatalogOf(settings.events, member.organizationId, settings.egress.sourceAddresses)
    },

    list,
    summary: async (member) => summaryOf(await list(member)),

    async get(member, id) {
      requireViewIntegrations(member)
      const endpoint = await storage.webhookEndpoints.find(member.organizationId, id)
      return oneWithHealth(context, member, requireFound(endpoint, 'WEBHOOK_ENDPOINT_NOT_FOUND'))
    },

    async create(member, body) {
      requireManageIntegrations(member)
      await settings.clock.ready()
      const { endpoint, secret, encrypted } = newEndpoint(settings, member, body)
      const changes = auditChanges(
        { headers: false },
        { ...endpoint, headers: endpoint.header_names.length > 0 },
      )
      const maximum = settings.limits.webhookEndpoints
      await storage.transaction(async (transaction) => {
        await claimNewestKey(transaction, settings)
        if (!(await transaction.webhookEndpoints.insert(endpoint, encrypted, maximum))) {
          throw new IntegrationError(
            'WEBHOOK_ENDPOINT_LIMIT_REACHED',
            `At most ${maximum} endpoints are allowed.`,
          )
        }
        const audited = { by: member, changes, at: endpoint.created_at }
        await audit(transaction, 'webhook_endpoint.created', endpoint, audited)
      })
      return { ...asSeen(endpoint, NEVER_CALLED, endpoint.created_at), secret }
    },

    async update(member, id, body) {
      requireManageIntegrations(member)
      const { organizationId } = member
      const { change, sent } = changeOf(settings, body)
      const action = 'webhook_endpoint.updated'
      const updated = await changeLocked(context, member, id, action, async (locked, before, now) => {
        const headers = await changedHeaders(locked, before, sent, settings)
        const ends_pause = sent.url !== undefined && isNewOrigin(sent.url, before)
        const write = (written: WebhookEndpointChange) =>
          locked.webhookEndpoints.update(organizationId, id, { ...written, ends_pause }, now)
        if (headers === undefined) return { after: await write(change) }
        const encrypted = encryptHeaders(settings.keyring, headers, before.id)
        if (encrypted !== null) await claimNewestKey(locked, settings)
        const after = await write({ ...change, headers: { header_names: namesOf(headers), encrypted } })
        return { after, headers: true }
      })
      return oneWithHealth(context, member, updated)
    },

    async delete(member, id) {
      requireManageIntegrations(member)
      await changeLocked(context, member, id, 'webhook_endpoint.deleted', async (locked, _, now) => ({
        after: await locked.webhookEndpoints.delete(member.organizationId, id, now),
      }))
    },

    async rotateSecret(member, id, body = {}) {
      requireManageIntegrations(member)
      const { overlap_seconds = 0 } = validate(rotateSecretBody(settings.limits), body)
      const { secret, encrypted, hint } = generateSecret(settings, id.toLowerCase())
      const action = 'webhook_endpoint.secret_rotated'
      const rotated = await changeLocked(context, member, id, action, async (locked, _, now) => {
        await claimNewestKey(locked, settings)
        const previousUntil = overlap_seconds === 0 ? null : new Date(now.getTime() + overlap_seconds * 1000)
        const rotation = { secret: encrypted, hint, previousUntil }
        return { after: await locked.webhookEndpoints.rotateSecret(member.organizationId, id, rotation, now) }
      })
      return { ...(await oneWithHealth(context, member, rotated)), secret }
    },
  }
}

/** The endpoint of a create, with what is stored encrypted. */
function newEndpoint(settings: Settings, member: Member, body: unknown) {
  const fields = { ...ENDPOINT_DEFAULTS, ...validate(createWebhookEndpointBody(settings), body) }
  const headers = wholeHeaders(fields.headers ?? null, settings.productName)
  const now = settings.now()
  const id = newId(now)
  const { secret, encrypted, hint } = generateSecret(settings, id)
  const endpoint: StoredWebhookEndpoint = {
    id,
    organization_id: member.organizationId,
    name: fields.name,
    url: checkUrl(settings, fields.url),
    description: fields.description ?? null,
    events: unique(fields.events),
    trigger_mode: fields.trigger_mode,
    ordering: fields.ordering,
    header_names: namesOf(headers),
    is_enabled: fields.is_enabled,
    disabled_reason: fields.is_enabled ? null : 'requested',
    secret_hint: hint,
    previous_secrets: [],
    created_at: now,
    updated_at: now,
  }
  const encryptedHeaders = encryptHeaders(settings.keyring, headers, id)
  return { endpoint, secret, encrypted: { secret: encrypted, headers: encryptedHeaders } }
}

/** The change of an update, with the validated body: its headers depend on the present ones (see `changedHeaders`). */
function changeOf(settings: Settings, body: unknown) {
  const schema = updateWebhookEndpointBody(settings)
  const sent = validate(schema, body)
  const { name, url, description, events, trigger_mode, ordering, is_enabled } = sent
  const change: WebhookEndpointChange = givenOptions({
    name,
    url: url === undefined ? undefined : checkUrl(settings, url),
    description,
    events: events === undefined ? undefined : unique(events),
    trigger_mode,
    ordering,
    is_enabled,
    disabled_reason: is_enabled === undefined ? undefined : is_enabled ? null : ('requested' as const),
  })
  if (Object.keys(change).length === 0 && sent.headers === undefined) {
    const fields = Object.keys(schema.properties).join(', ')
    throw invalidField('', `must have at least one of ${fields}`)
  }
  return { change, sent }
}

/** The headers after an update. undefined: unchanged. */
async function changedHeaders(
  locked: Locked,
  before: StoredWebhookEndpoint,
  { url, headers }: { readonly url?: string; readonly headers?: SentHeaders | null },
  { keyring, productName, logger }: Settings,
): Promise<EndpointHeaders | undefined> {
  const hasSome = before.header_names.length > 0
  if (url !== undefined && isNewOrigin(url, before)) {
    if (headers !== undefined) {
      const whole = wholeHeaders(headers, productName)
      return hasSome || whole.length > 0 ? whole : undefined
    }
    if (!hasSome) return undefined
    const detail =
      'is required when the URL moves to another origin: send all headers for it, or null for none'
    throw invalidField('/headers', detail)
  }
  if (headers === undefined) return undefined
  if (headers === null) return hasSome ? [] : undefined
  if (Object.keys(headers).length === 0) return undefined
  const encrypted = await locked.webhookEndpoints.findHeaders(before.organization_id, before.id)
  let current: EndpointHeaders
  try {
    current = decryptHeaders(keyring, encrypted, before.id)
  } catch (error) {
    logger.error({ err: error, endpoint_id: before.id }, 'the headers of an endpoint could not be decrypted')
    throw new IntegrationError(
      'SERVICE_UNAVAILABLE',
      'The headers of the endpoint cannot be decrypted at the moment, so nothing was changed. Try again later, or remove all headers with `headers: null` first.',
    )
  }
  const merged = mergeHeaders(current, headers, productName)
  return JSON.stringify(merged) === JSON.stringify(current) ? undefined : merged
}

function isNewOrigin(url: string, before: StoredWebhookEndpoint): boolean {
  return new URL(url).origin !== new URL(before.url).origin
}

function namesOf(headers: EndpointHeaders): string[] {
  return headers.map(([name]) => name)
}

/** Locks the endpoint, lets `change` write it, and records the changes, in one transaction. */
async function changeLocked(
  context: EndpointContext,
  member: Member,
  id: string,
  action: 'webhook_endpoint.updated' | 'webhook_endpoint.secret_rotated' | 'webhook_endpoint.deleted',
  change: (
    locked: Locked,
    before: StoredWebhookEndpoint,
    now: Date,
  ) => Promise<{
    readonly after: StoredWebhookEndpoint
    readonly headers?: true
  }>,
): Promise<StoredWebhookEndpoint> {
  const { storage, settings } = context
  await settings.clock.ready()
  return storage.transaction(async (transaction) => {
    const found = await transaction.webhookEndpoints.lock(member.organizationId, id)
    const before = requireFound(found, 'WEBHOOK_ENDPOINT_NOT_FOUND')
    // Read after waiting for the lock.
    const now = settings.now()
    const { after, headers = false } = await change(transaction, before, now)
    const changes = auditChanges({ ...before, headers: false }, { ...after, headers })
    if (changes.length > 0 || action !== 'webhook_endpoint.updated') {
      const isDisabled = before.is_enabled && !after.is_enabled && action === 'webhook_endpoint.updated'
      const named = isDisabled ? 'webhook_endpoint.disabled' : action
      await audit(transaction, named, after, { by: member, changes, at: now })
    }
    return after
  })
}

async function oneWithHealth(
  context: EndpointContext,
  member: Member,
  endpoint: StoredWebhookEndpoint,
): Promise<WebhookEndpoint> {
  const [one] = await withHealth(context, member, [endpoint])
  return one ?? asSeen(endpoint, NEVER_CALLED, context.settings.now())
}

async function withHealth(
  { storage, settings }: EndpointContext,
  { organizationId }: Member,
  endpoints: readonly StoredWebhookEndpoint[],
): Promise<WebhookEndpoint[]> {
  await settings.clock.ready()
  const now = settings.now()
  const ids = endpoints.map(({ id }) => id)
  const conditions = await storage.endpointHealth.read(organizationId, ids)
  return endpoints.map((endpoint) => asSeen(endpoint, conditions.get(endpoint.id) ?? NEVER_CALLED, now))
}

/** The endpoint as members see it, without the end of a past overlap or pause. */
function asSeen(
  endpoint: StoredWebhookEndpoint,
  { health, paused_until }: EndpointCondition,
  now: Date,
): WebhookEndpoint {
  const previous_secrets = endpoint.previous_secrets.filter(({ expires_at }) => expires_at > now)
  return {
    ...endpoint,
    health,
    paused_until: paused_until !== null && paused_until > now ? paused_until : null,
    previous_secret_expires_at: previous_secrets[0]?.expires_at ?? null,
    previous_secrets,
  }
}

function checkUrl({ addressGuard, limits }: Settings, url: string): string {
  const detail = webhookUrlProblem(url, { guard: addressGuard, maxLength: limits.urlLength })
  if (detail !== undefined) throw invalidField('/url', detail)
  return url
}

function generateSecret({ keyring }: Settings, endpointId: string) {
  const secret = generateSigningSecret()
  const encrypted = keyring.encrypt(secret.reveal(), endpointId)
  return { secret, encrypted, hint: signingSecretHint(secret) }
}

/** The condition of an endpoint without deliveries. */
const NEVER_CALLED: EndpointCondition = {
  health: {
    last_success_at: null,
    failing_since: null,
    recent_attempts: 0,
    recent_success_rate: null,
    changed_before_failing: null,
  },
  paused_until: null,
}

function unique(events: readonly string[]): string[] {
  return [...new Set(events)]
}
