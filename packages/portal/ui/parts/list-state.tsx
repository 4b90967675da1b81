import type { ComponentChildren } from 'preact'
import { usePortal } from '../portal.ts'
import type { LoadedPages } from '../use-loaded.ts'
import { Button } from './button.tsx'
import { ErrorNotice } from './notice.tsx'

/** A list that is loading, empty, failed or loaded. It keeps its space while loading. */
export function ListState<Item>({
  loaded,
  empty,
  foot,
  children,
}: {
  loaded: LoadedPages<Item>
  empty: ComponentChildren
  foot?: ComponentChildren
  children: (items: readonly Item[]) => ComponentChildren
}) {
  const { t } = usePortal()
  const { value, error, hasMore, isLoading } = loaded
  return (
    <>
      <ErrorNotice error={error} onRetry={() => void loaded.reload()} />
      {value === undefined
        ? error === undefined && <Skeleton />
        : value.length === 0
          ? empty
          : children(value)}
      <div class="list-foot">
        <span>{value !== undefined && value.length > 0 && foot}</span>
        {hasMore && (
          <Button isBusy={isLoading} onClick={loaded.more}>
            {t('action.older')}
          </Button>
        )}
      </div>
    </>
  )
}

export function Skeleton() {
  const { t } = usePortal()
  return (
    <div class="card skeleton" role="status" aria-label={t('loading')}>
      {[1, 2, 3, 4, 5].map((row) => (
        <div key={row} />
      ))}
    </div>
  )
}

/** Whether the list may be empty: then the main action replaces the list instead of being beside the title. */
export function isFirst({ value, error }: Pick<LoadedPages<unknown>, 'value' | 'error'>): boolean {
  return (value?.length ?? 0) === 0 && error === undefined
}

/** An empty list: what it is for, and what to do first. */
export function Empty({
  title,
  text,
  children,
}: {
  title: string
  text: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <div class="card empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  )
}

export function EmptySteps({ steps }: { steps: readonly string[] }) {
  return (
    <ol class="steps">
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  )
}
