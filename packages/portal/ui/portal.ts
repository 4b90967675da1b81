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

/** What every screen has at hand. */
export interface Portal extends Translator {
  readonly settings: PortalSettings
  readonly client: Client
  readonly me: Me
  readonly format: Formatter
  readonly navigation: Navigation
  /** Whether the member holds `manage_integrations`. */
  readonly manages: boolean
  /** Whether anything may be changed here. */
  readonly mayChange: boolean
  /** What just happened, for those who listen to the page. */
  readonly announcement: Signal<string>
  /** How many endpoints fail, shown beside their tab. */
  readonly failingEndpoints: Signal<number>
  shows(feature: Feature): boolean
}

export const PortalContext = createContext<Portal | null>(null)

export function usePortal(): Portal {
  const portal = useContext(PortalContext)
  if (portal === null) throw new Error('There is no portal around this component.')
  return portal
}

/** The name of the organization, or its id where the session gives no name. */
export function organizationName({ organization }: Me): string {
  return organization.name ?? organization.id
}

/** An error in words: by its code where the catalog knows it, else as the API said it. */
export function errorText({ t, has }: Translator, error: unknown): string {
  if (!(error instanceof ApiError)) return String(error)
  const key = `error.${error.code}`
  const seconds = Math.ceil((error.retryAfterMs ?? 0) / 1000)
  if (!has(key)) return error.message
  return t(key, { detail: error.message, count: Math.max(1, seconds), seconds: Math.max(1, seconds) })
}

/** The time, in steps of ten seconds: what is relative to it moves on by itself. */
export const now = signal(Date.now())
const TICK_MS = 10_000
let watchers = 0
let timer: ReturnType<typeof setInterval> | undefined

/** @returns how to stop */
export function watchTime(): () => void {
  if (watchers++ === 0)
    timer = setInterval(() => {
      now.value = Date.now()
    }, TICK_MS)
  return () => {
    if (--watchers === 0) clearInterval(timer)
  }
}

/** Whether moments are shown in full, and not relative to now. */
export const exactTimes = signal(false)
