import type { Certificates, Integrations } from '@quickquote/core'
import { resolveWith } from '../http/checked-lookup.ts'
import type { Http } from '../http/http.ts'
import { httpWhenUsed } from '../http/http-when-used.ts'
import { createDeliveryTelemetry, type DeliveryTelemetry } from '../telemetry/delivery-telemetry.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { UnusableKeys } from '../upkeep/unusable-keys.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'

/** Everything for making attempts. Close `http` after the last one. */
export interface Sender {
  readonly dispatch: Dispatch
  readonly http: Http
  readonly telemetry: DeliveryTelemetry
  /** How many deliveries wait for a socket. */
  waiting(): number
}

export function createSender({
  integrations,
  ca,
  socketsPerOrigin,
  telemetry: api,
  unusableKeys,
}: {
  integrations: Integrations
  /** Default: those of the integrations. */
  ca: Certificates | undefined
  socketsPerOrigin: number
  telemetry: Telemetry
  unusableKeys: UnusableKeys
}): Sender {
  const { storage, settings } = integrations
  const { delivery, egress, addressGuard: guard, logger, now } = settings
  const telemetry = createDeliveryTelemetry({ telemetry: api, storage, logger })
  const http = httpWhenUsed({
    ...delivery,
    guard,
    socketsPerOrigin,
    ca: ca ?? egress.ca,
    proxy: egress.proxy,
    now,
    onResent: telemetry.resent,
    ...(egress.resolve && { resolve: resolveWith(egress.resolve) }),
  })
  let waiting = 0
  const turn: Http['turn'] = async (origin, organizationId) => {
    waiting += 1
    try {
      return await http.turn(origin, organizationId)
    } finally {
      waiting -= 1
    }
  }
  const dispatch = createDispatch({ settings, http: { turn, post: http.post }, telemetry, unusableKeys })
  return { http, telemetry, dispatch, waiting: () => waiting }
}
