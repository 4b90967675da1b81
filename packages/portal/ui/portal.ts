import { signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Announcer } from './announcer.ts'
import type { Client } from './api/client.ts'
import { ApiError } from './api/http.ts'
import type { ApiKey, Delivery, Me, WebhookEndpoint } from './api/types.ts'
import { apiText } from './i18n/api-text.ts'
import type { Formatter } from './i18n/format.ts'
import type { Translator } from './i18n/translate.ts'
import type { Loaded } from './loaded.ts'
import type { Navigation, Place } from './navigation.ts'
import type { Feature, PortalSettings } from './settings.ts'

/** The context of every screen. */
export interface Portal extends Translator {
  readonly settings: PortalSettings
  readonly client: Client
  readonly me: Me
  readonly format: Formatter
  readonly navigation: Navigation
  /** Whether the member sees endpoints, deliveries and the keys of all: holds `view_integrations`, or manages. */
  readonly views: boolean
  /** Whether changes are possible, except of the member's own keys. */
  readonly mayChange: boolean
  mayChangeKey(key: Pick<ApiKey, 'owner_id'>): boolean
  /** Says results to screen readers. */
  readonly announcer: Announcer
  /** All endpoints, loaded once for every screen; none without `view_integrations`. */
  readonly endpoints: Loaded<readonly WebhookEndpoint[]>
  /** The filters that each list was last shown with, by view. */
  readonly filters: Map<string, Place['query']>
  /** What lists showed, by their key, while one of their items is shown. */
  readonly kept: Map<string, unknown>
  /** A delivery that a route has just answered with, for the screen that shows it. */
  readonly answered: { delivery: Delivery | null }
  shows(feature: Feature): boolean
}

export const PortalContext = createContext<Portal | null>(null)

export function usePortal(): Portal {
  const portal = useContext(PortalContext)
  if (portal === null) throw new Error('There is no portal around this component.')
  return portal
}

/** The name of the organization, or its id if the session has no name. */
export function organizationName({ organization }: Me): string {
  return organization.name ?? organization.id
}

/** The text of an error: the catalog's for its code, otherwise the API's. */
export function errorText(translator: Translator, error: unknown): string {
  const { t, has } = translator
  if (!(error instanceof ApiError)) return String(error)
  const key = `error.${error.code}`
  const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1000)
  if (!has(key)) return apiText(translator, 'conflict', error.message)
  return t(key, { detail: error.message, count: Math.max(1, seconds), seconds: Math.max(1, seconds) })
}

/** The address where a member signs in and returns to this page. */
export function signInUrl(template: string): string {
  return template.replace('{url}', encodeURIComponent(location.pathname + location.search + location.hash))
}

const EXACT = 'quickquote-exact-times'

/** Storage may be forbidden. */
function stored<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(localStorage)
  } catch {
    return undefined
  }
}

/** Whether to show exact instead of relative times: as the reader last wanted it. */
export const exactTimes = signal(stored((storage) => storage.getItem(EXACT)) === 'yes')

export function switchTimes(): void {
  exactTimes.value = !exactTimes.value
  stored((storage) => storage.setItem(EXACT, exactTimes.value ? 'yes' : 'no'))
}
