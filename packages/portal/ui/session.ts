import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { createHttp, type Http, type Transport } from './api/http.ts'
import type { PortalSettings } from './settings.ts'

/** Grows when a session has come back: what failed for want of one is loaded again. */
export const signIns = signal(0)

/** Requests of the member, and whether one of them was refused for want of a session. */
export function useSession(
  settings: PortalSettings,
  transport: Transport,
): { http: Http; isSignedOut: Signal<boolean> } {
  const isSignedOut = useMemo(() => signal(false), [])
  const http = useMemo(
    () =>
      createHttp(new URL(settings.apiUrl, document.baseURI), transport, (isSignedIn) => {
        if (isSignedIn && isSignedOut.value) signIns.value += 1
        isSignedOut.value = !isSignedIn
      }),
    [settings, transport],
  )
  return { http, isSignedOut }
}

/** Tries again when somebody who signed in in another tab comes back to this one. */
export function useReturn(isSignedOut: boolean, reload: () => Promise<void>): void {
  useEffect(() => {
    if (!isSignedOut) return
    const onVisible = () => {
      if (document.visibilityState === 'visible') void reload()
    }
    document.addEventListener('visibilitychange', onVisible)
    addEventListener('focus', onVisible)
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      removeEventListener('focus', onVisible)
    }
  }, [isSignedOut, reload])
}
