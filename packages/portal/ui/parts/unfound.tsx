import { ApiError } from '../api/http.ts'
import { usePortal } from '../portal.ts'
import type { Loaded } from '../use-loaded.ts'
import { Link } from './link.tsx'
import { Skeleton } from './list.tsx'
import { ErrorNotice } from './notice.tsx'
import { PageHead } from './page-head.tsx'

const TEXTS = {
  'api-keys': ['keys.title', 'error.API_KEY_NOT_FOUND', 'keys.back'],
  endpoints: ['endpoints.title', 'error.WEBHOOK_ENDPOINT_NOT_FOUND', 'endpoints.back'],
  deliveries: ['deliveries.title', 'error.DELIVERY_NOT_FOUND', 'deliveries.back'],
} as const

/** Shown instead of one key, endpoint or delivery that is loading, cannot be loaded, or does not exist. */
export function Unfound({
  title,
  view,
  loaded: { error, reload },
}: {
  title: string
  /** The list that it would be in. */
  view: keyof typeof TEXTS
  loaded: Pick<Loaded<unknown>, 'error' | 'reload'>
}) {
  const { t, filters } = usePortal()
  // 400: what the address names is no id at all.
  const isNowhere = error instanceof ApiError && (error.status === 404 || error.status === 400)
  const [parent, gone, back] = TEXTS[view]
  const list = { view, query: filters.get(view) ?? {} }
  return (
    <>
      <PageHead title={title} above={{ label: t(parent), view }} />
      {error === undefined && <Skeleton />}
      {isNowhere ? (
        <div class="notice bad" role="alert">
          <p>{t(gone)}</p>
          <Link class="button" to={list}>
            {t(back)}
          </Link>
        </div>
      ) : (
        <ErrorNotice error={error} onRetry={() => void reload()} />
      )}
    </>
  )
}
