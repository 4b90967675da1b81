import { useRef, useState } from 'preact/hooks'
import type { Query } from '../api/client.ts'
import type { Attempt } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { InfoDialog } from '../parts/dialog.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { usePortal } from '../portal.ts'
import { useHold } from '../use-hold.ts'
import { useLoaded } from '../use-loaded.ts'

/** More are for a replay, which does not need this page. */
const MOST = 1000
const PAGE = 100

/** Resends the deliveries of a list, the oldest first: says how many, then how far it is. */
export function ResendShown({ query, onClose }: { query: Query; onClose: () => void }) {
  const { t, client } = usePortal()
  const [progress, setProgress] = useState<{ sent: number; refused: number } | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isRunning, setRunning] = useState(false)
  const isStopped = useRef(false)
  useHold('running', isRunning)
  const found = useLoaded('resend shown', async (signal) => {
    let items: Attempt[] = []
    let cursor: string | null = null
    do {
      const page: { items: readonly Attempt[]; next: string | null } = await client.deliveries.list(
        { ...query, limit: PAGE, cursor },
        signal,
      )
      items = [...items, ...page.items.filter(({ is_test }) => !is_test)]
      cursor = page.next
    } while (cursor !== null && items.length < MOST)
    return { items: items.slice(0, MOST), isMore: cursor !== null || items.length > MOST }
  })
  const { items = [], isMore = false } = found.value ?? {}

  async function start() {
    setRunning(true)
    let [sent, refused] = [0, 0]
    for (const { delivery_id } of items.toReversed()) {
      if (isStopped.current) break
      try {
        await client.deliveries.resend(delivery_id)
        sent += 1
      } catch (failure) {
        refused += 1
        setError(failure)
      }
      setProgress({ sent, refused })
    }
    setRunning(false)
  }

  const done = progress === null ? 0 : progress.sent + progress.refused
  const stop = () => {
    isStopped.current = true
  }
  return (
    <InfoDialog
      title={t('resend.title')}
      onClose={() => {
        stop()
        onClose()
      }}
      actions={
        isRunning ? (
          <Button onClick={stop}>{t('replay.stop')}</Button>
        ) : (
          progress === null &&
          items.length > 0 && (
            <Button kind="primary" onClick={() => void start()}>
              {t('resend.start', { count: items.length })}
            </Button>
          )
        )
      }
    >
      <p class="lead">{t('resend.text')}</p>
      {progress !== null && <progress value={done} max={items.length} aria-label={t('replay.progress')} />}
      <p class="count" aria-live="polite">
        {progress !== null
          ? t('resend.progress', { sent: progress.sent, all: items.length, refused: progress.refused })
          : found.value === undefined
            ? found.error === undefined && t('replay.counting')
            : items.length === 0
              ? t('resend.none')
              : t(isMore ? 'resend.count.more' : 'resend.count', { count: items.length })}
      </p>
      <ErrorNotice error={found.error ?? error} />
    </InfoDialog>
  )
}
