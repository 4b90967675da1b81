import type { ComponentChildren } from 'preact'
import { ApiError } from '../api/http.ts'
import { errorText, usePortal } from '../portal.ts'
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
      {onRetry !== undefined && <Button onClick={onRetry}>{portal.t('action.retry')}</Button>}
    </div>
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
    <div class={`banner ${tone}`}>
      <span class={`badge ${tone}`}>{badge}</span>
      <p>{children}</p>
      {action}
    </div>
  )
}
