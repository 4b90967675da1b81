import { v7 as uuidv7 } from 'uuid'
import { IntegrationError, validationFailed } from './errors.ts'
import type { SecretValue } from './secret-value.ts'
import { type Member, requireManageIntegrations } from './session.ts'
import type { Settings } from './settings.ts'
import { generateSigningSecret, signingSecretHint } from './signing-secret.ts'
import type { Storage } from './storage.ts'
import { validate } from './validator.ts'
import { createWebhookEndpointBody, type WebhookEndpoint } from './webhook-endpoint.ts'
import { checkWebhookUrl } from './webhook-url.ts'

export interface WebhookEndpoints {
  /**
   * Makes an endpoint. `secret` holds the signing secret for the only time.
   * @throws IntegrationError PERMISSION_REQUIRED, VALIDATION_FAILED, WEBHOOK_ENDPOINT_LIMIT_REACHED
   */
  create(member: Member, body: unknown): Promise<WebhookEndpoint & { secret: SecretValue }>
}

export function createWebhookEndpoints(storage: Storage, settings: Settings): WebhookEndpoints {
  const bodySchema = createWebhookEndpointBody(settings.limits)

  function checkUrl(url: string): string {
    const checked = checkWebhookUrl(url, {
      guard: settings.addressGuard,
      maxLength: settings.limits.urlLength,
    })
    if (!checked.ok) throw validationFailed([{ pointer: '/url', detail: checked.detail }])
    return checked.url
  }

  return {
    async create(member, body) {
      requireManageIntegrations(member)
      const fields = validate(bodySchema, body)
      const now = settings.now()
      const secret = generateSigningSecret()
      const endpoint: WebhookEndpoint = {
        id: uuidv7(),
        organization_id: member.organizationId,
        name: fields.name,
        url: checkUrl(fields.url),
        description: fields.description ?? null,
        events: [...new Set(fields.events)],
        trigger_mode: fields.trigger_mode ?? 'headless_only',
        is_enabled: fields.is_enabled ?? true,
        secret_hint: signingSecretHint(secret),
        created_at: now,
        updated_at: now,
      }
      const maximum = settings.limits.webhookEndpoints
      const encrypted = settings.keyring.encrypt(secret.reveal(), endpoint.id)
      if (!(await storage.insertWebhookEndpoint(endpoint, encrypted, maximum))) {
        throw new IntegrationError(
          'WEBHOOK_ENDPOINT_LIMIT_REACHED',
          `At most ${maximum} endpoints are allowed.`,
        )
      }
      return { ...endpoint, secret }
    },
  }
}
