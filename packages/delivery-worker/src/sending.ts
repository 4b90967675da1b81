import type { Integrations } from '@quickquote/core'
import type { Certificates } from './agent.ts'
import { createDeliveryTelemetry, type DeliveryTelemetry } from './delivery-telemetry.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import { createHttp, type Http } from './http.ts'
import { createTargets } from './targets.ts'
import type { Telemetry } from './telemetry.ts'
import { version } from './version.ts'

/** All that it takes to make attempts. Close `http` after the last one. */
export interface Sending {
  readonly dispatch: Dispatch
  readonly http: Http
  readonly telemetry: DeliveryTelemetry
}

export function createSending({
  integrations,
  ca,
  socketsPerOrigin,
  telemetry: api,
}: {
  integrations: Integrations
  ca: Certificates | undefined
  socketsPerOrigin: number
  telemetry: Telemetry
}): Sending {
  const { storage, settings } = integrations
  const { delivery, addressGuard: guard, keyring, logger, now, productName } = settings
  const { timeoutMs, maxResponseBytes, maxRawResponseBytes } = delivery
  const telemetry = createDeliveryTelemetry({ telemetry: api, storage, logger })
  const http = createHttp({
    guard,
    timeoutMs,
    maxResponseBytes,
    maxRawResponseBytes,
    socketsPerOrigin,
    ca,
    now,
  })
  const targets = createTargets({ keyring, guard })
  const userAgent = `${productName}-Webhooks/${version}`
  return { http, telemetry, dispatch: createDispatch({ settings, targets, http, telemetry, userAgent }) }
}
