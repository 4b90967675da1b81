import { type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Client } from './api/client.ts'
import { ApiError } from './api/http.ts'
import type { Me } from './api/types.ts'
import type { Formatter } from './i18n/format.ts'
import type { Translator } from './i18n/translate.ts'
import type { Navigation } from './navigation.ts'
import type { Feature, PortalSettings } from './settings.ts'

/** The context of every screen. */
export interface Portal extends Translator {
  readonly settings: PortalSettings
  readonly client: Client
  readonly me: Me
  readonly format: Formatter
  readonly navigation: Navigation
  /** Whether the member holds `manage_integrations`. */
  readonly manages: boolean
  /** Whether changes are possible. */
  readonly mayChange: boolean
  /** The latest result, for screen readers. */
  readonly announcement: Signal<string>
  /** The number of failing endpoints, shown next to their tab. */
  readonly failingEndpoints: Signal<number>
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
export function errorText({ t, has }: Translator, error: unknown): string {
  if (!(error instanceof ApiError)) return String(error)
  const key = `error.${error.code}`
  const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1000)
  if (!has(key)) return error.message
  return t(key, { detail: error.message, count: Math.max(1, seconds), seconds: Math.max(1, seconds) })
}

/** The address where a member signs in and returns to this page. */
export function signInUrl(template: string): string {
  return template.replace('{url}', encodeURIComponent(location.pathname + location.search + location.hash))
}

/** The time in steps of ten seconds, so that relative times stay current. */
export const now = signal(Date.now())
const TICK_MS = 10_000
let watchers = 0
let timer: ReturnType<typeof setInterval> | undefined

/**
 * @returns stops it
 */
export function watchTime(): () => void {
  if (watchers++ === 0)
    timer = setInterval(() => {
      now.value = Date.now()
    }, TICK_MS)
  return () => {
    if (--watchers === 0) clearInterval(timer)
  }
}

/** Whether to show exact instead of relative times. */
export const exactTimes = signal(false)
