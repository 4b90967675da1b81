import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { usePortal } from '../portal.ts'
import type { Loaded, LoadedPages } from '../use-loaded.ts'
import { Button } from './button.tsx'
import { ErrorNotice } from './notice.tsx'
import { rowMouse } from './row.ts'

/** A column of a table. The first one names the row. */
export interface Column<Item> {
  readonly head: ComponentChildren
  readonly cell: (item: Item) => ComponentChildren
  /** Classes of the cell. Below 960 px: `phone-end` is beside the first cell, `phone-off` is not shown. */
  readonly class?: string
  /** Below 960 px, where there is no head, before the value. */
  readonly label?: string
  /** What the mouse shows. */
  readonly title?: (item: Item) => string
}

interface TableProps<Item> {
  /** The class of the table. */
  name: string
  caption: string
  columns: readonly (Column<Item> | false)[]
}

export function Table<Item extends { readonly id: string }>({
  name,
  caption,
  columns,
  items,
}: TableProps<Item> & { items: readonly Item[] }) {
  const [first, ...rest] = columns.filter((column) => column !== false)
  const mouse = useMemo(rowMouse, [])
  if (first === undefined) return null
  return (
    <table class={name}>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {[first, ...rest].map((column, index) => (
            <th key={index} scope="col" class={column.class?.split(' ').includes('end') ? 'end' : undefined}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id} {...mouse}>
            <th scope="row" class={first.class}>
              {first.cell(item)}
            </th>
            {rest.map((column, index) => (
              <td
                key={index}
                class={`${column.class ?? ''} ${column.label === undefined ? '' : 'labelled'}`}
                data-label={column.label}
                title={column.title?.(item)}
              >
                {column.cell(item)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Says how much a list has found once its filters have changed. */
export function useFound(filters: unknown, { value, hasMore }: LoadedPages<unknown>): void {
  const { t, announcer } = usePortal()
  const key = JSON.stringify(filters)
  const said = useRef(key)
  useEffect(() => {
    if (value === undefined || said.current === key) return
    said.current = key
    announcer.say(t(hasMore ? 'list.found.more' : 'list.found', { count: value.length }))
  }, [value, key])
}

/** A list that is loading, empty, failed or loaded, with its older pages. It keeps its space while loading. */
export function List<Item extends { readonly id: string }>({
  loaded,
  empty,
  foot,
  ...table
}: TableProps<Item> & {
  loaded: LoadedPages<Item>
  empty: ComponentChildren
  foot?: ComponentChildren
}) {
  const { t } = usePortal()
  const { value, hasMore, isLoadingMore } = loaded
  return (
    <>
      <Pending loaded={loaded} />
      {loaded.waiting > 0 && (
        <p class="waiting">
          <Button onClick={loaded.catchUp}>{t('list.waiting', { count: loaded.waiting })}</Button>
        </p>
      )}
      <div ref={loaded.area}>
        {value !== undefined && (value.length === 0 ? empty : <Table {...table} items={value} />)}
      </div>
      <div class="list-foot">
        <span>{value !== undefined && value.length > 0 && foot}</span>
        {hasMore && (
          <Button isBusy={isLoadingMore} onClick={loaded.more}>
            {t('action.older')}
          </Button>
        )}
      </div>
    </>
  )
}

/** What is not there: its place while it is loading, or why it could not be loaded. */
export function Pending({
  loaded: { value, error, reload },
}: {
  loaded: Pick<Loaded<unknown>, 'value' | 'error' | 'reload'>
}) {
  return (
    <>
      <ErrorNotice error={error} onRetry={() => void reload()} />
      {value === undefined && error === undefined && <Skeleton />}
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
  steps,
  children,
}: {
  title: string
  text: string
  steps?: readonly string[]
  children?: ComponentChildren
}) {
  return (
    <div class="card empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {steps !== undefined && (
        <ol class="steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {children}
    </div>
  )
}
