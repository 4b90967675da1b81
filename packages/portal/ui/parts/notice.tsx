import type { ComponentChildren } from 'preact'
import { ApiError } from '../api/http.ts'
import { errorText, signInUrl, usePortal } from '../portal.ts'
import { Button } from './button.tsx'

/** An error, with a button to try again if possible. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const portal = usePortal()
  if (error === null || error === undefined) return null
  const requestId = error instanceof ApiError ? error.requestId : null
  return (
    <div class="notice bad" role="alert">
      <p>
        {errorText(portal, error)}
        {requestId !== null && <small>{portal.t('error.request', { id: requestId })}</small>}
      </p>
      {error instanceof ApiError && error.status === 401 && <SignIn />}
      {onRetry !== undefined && <Button onClick={onRetry}>{portal.t('action.retry')}</Button>}
    </div>
  )
}

/** Opens the sign-in page in another tab, so that no input is lost. */
export function SignIn() {
  const { t, settings } = usePortal()
  if (settings.signInUrl === undefined) return null
  return (
    <a class="button" href={signInUrl(settings.signInUrl)} target="_blank" rel="noopener">
      {t('session.sign-in.tab')}
    </a>
  )
}

/** Important information about something. */
export function Banner({
  tone,
  badge,
  children,
  action,
}: {
  tone: 'warn' | 'bad' | 'plain'
  badge: string
  children: ComponentChildren
  action?: ComponentChildren
}) {
  return (
    <div class={`notice banner ${tone}`}>
      <span class={`badge ${tone}`}>{badge}</span>
      <p>{children}</p>
      {action}
    </div>
  )
}
