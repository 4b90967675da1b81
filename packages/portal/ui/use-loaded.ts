import type { RefObject } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from './api/http.ts'
import type { Loaded } from './loaded.ts'
import { usePortal } from './portal.ts'
import { signIns } from './session.ts'

export type { Loaded }

interface LoadOptions<Value> {
  /** Refreshes it while the page is visible. */
  everyMs?: number | undefined
  /** Once it holds, the value changes no more, and is not refreshed. */
  until?: (value: Value) => boolean
  /** Known already: only refreshed. */
  initial?: Value | undefined
}

interface State<Value> {
  readonly key: string
  readonly value?: Value
  readonly error?: unknown
  readonly isLoading: boolean
}

/**
 * Loads a value while a component is mounted.
 * @param key its dependency: a new key discards the value
 */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  options: LoadOptions<Value> = {},
): Loaded<Value> {
  const { update, refresh: _, ...loaded } = useRefreshed(key, load, (_, fresh) => fresh, options)
  return { ...loaded, set: (value) => update(() => value) }
}

/**
 * Repeats the work, not while the page is in the background, but as soon as it is back.
 * @returns a function that stops repeating
 */
export function whileVisible(work: () => void, everyMs: number): () => void {
  const repeat = () => {
    if (document.visibilityState === 'visible') work()
  }
  const timer = setInterval(repeat, everyMs)
  document.addEventListener('visibilitychange', repeat)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', repeat)
  }
}

interface Refreshed<Value> extends Omit<Loaded<Value>, 'set'> {
  update(change: (value: Value | undefined) => Value): void
  refresh(): Promise<void>
}

/**
 * @param load gets the shown value if only what is newer is needed
 * @param merge what is newer into what is shown by then
 */
function useRefreshed<Value>(
  key: string,
  load: (signal: AbortSignal, shown: Value | null) => Promise<Value>,
  merge: (shown: Value, fresh: Value) => Value,
  { everyMs, until, initial }: LoadOptions<Value>,
): Refreshed<Value> {
  const [state, setState] = useState<State<Value>>(
    initial === undefined ? { key, isLoading: true } : { key, value: initial, isLoading: false },
  )
  const current: State<Value> = state.key === key ? state : { key, isLoading: true }
  const latest = useRef({ load, current })
  latest.current = { load, current }
  const running = useRef<AbortController | null>(null)

  const run = useCallback(
    async (isRefresh: boolean) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const change = (next: (before: State<Value>) => State<Value>) =>
        setState((before) => next(before.key === key ? before : { key, isLoading: true }))
      change((before) => ({ ...before, isLoading: true }))
      try {
        const shown = isRefresh ? (latest.current.current.value ?? null) : null
        const fresh = await latest.current.load(controller.signal, shown)
        if (controller.signal.aborted) return
        change(({ value }) => ({
          key,
          value: shown === null || value === undefined ? fresh : merge(value, fresh),
          isLoading: false,
        }))
      } catch (error) {
        if (!controller.signal.aborted) change((before) => ({ ...before, error, isLoading: false }))
      }
    },
    [key],
  )

  useEffect(() => {
    if (latest.current.current.value === undefined) void run(false)
    return () => running.current?.abort()
  }, [run])

  const isFinal = current.value !== undefined && until?.(current.value) === true
  useEffect(() => {
    if (everyMs === undefined || isFinal) return
    return whileVisible(() => void run(true), everyMs)
  }, [run, everyMs, isFinal])

  const times = signIns.value
  useEffect(() => {
    if (isSignedOut(latest.current.current.error)) void run(false)
  }, [times])

  const update = useCallback(
    (change: (value: Value | undefined) => Value) =>
      setState((before) => ({
        key,
        value: change(before.key === key ? before.value : undefined),
        isLoading: false,
      })),
    [key],
  )
  const reload = useCallback(() => run(false), [run])
  const refresh = useCallback(() => run(true), [run])
  const { value, error, isLoading } = current
  return { value, error, isLoading, reload, refresh, update }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

export interface LoadedPages<Item> extends Loaded<readonly Item[]> {
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  more(): void
  /** What shows them. While somebody points at it, is in it or has scrolled past its top, nothing in it moves. */
  readonly area: RefObject<HTMLDivElement | null>
  /** How many rows have come or gone meanwhile. */
  readonly waiting: number
  /** Shows them as they are now. */
  catchUp(): void
}

interface Listed {
  readonly id: string
  readonly created_at: string
}

interface Pages<Item> {
  readonly items: readonly Item[]
  /** Of the page after them. */
  readonly next: string | null
}

/** Rows of a page. */
const PAGE_SIZE = 25
/** Rows of a refresh, every few seconds: mostly nothing is new, and hosts may not compress. */
const REFRESH_SIZE = 5
/** The most rows that a refresh loads until it meets what is shown. */
const MOST_REFRESHED = 5 * PAGE_SIZE

/**
 * A list whose pages are shown below each other. A refresh loads the newest page, and merges it by id: earlier pages stay,
 * and are not loaded again.
 */
export function usePages<Item extends Listed>(
  key: string,
  load: (page: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Pages<Item>>,
  { everyMs, isFiltered = false }: { everyMs?: number | undefined; isFiltered?: boolean } = {},
): LoadedPages<Item> {
  const { kept } = usePortal()
  const [older, setOlder] = useState<{ isLoading: boolean; error?: unknown }>({ isLoading: false })
  const [restored] = useState(() => kept.get(key) as Kept<Item> | undefined)
  const [late, setLate] = useState<{ key: string; pages: Pages<Item>; rows: number } | null>(null)
  const area = useRef<HTMLDivElement>(null)
  const count = useRef(0)
  const loadingMore = useRef<AbortController | null>(null)
  useEffect(() => () => loadingMore.current?.abort(), [key])

  function merge(shown: Pages<Item>, fresh: Pages<Item>): Pages<Item> {
    // Somebody has asked for older ones meanwhile.
    if (isFiltered && fresh.items.length < shown.items.length && fresh.next !== null) return shown
    const next = isFiltered ? fresh : merged(shown, fresh)
    const rows = differing(shown.items, next.items)
    const isHeld = rows > 0 && isInUse(area.current)
    setLate(isHeld ? { key, pages: next, rows } : null)
    if (!isHeld) return next
    const newer = new Map(next.items.map((item) => [item.id, item]))
    return { ...shown, items: shown.items.map((item) => newer.get(item.id) ?? item) }
  }

  const { value, update, refresh, ...loaded } = useRefreshed<Pages<Item>>(
    key,
    async (signal, before) => {
      // What no longer belongs to a filtered list is found only by reading all of it.
      const shown = isFiltered ? null : before
      // A page may be empty although there is a next one. Then a refresh found nothing new.
      const isEnough = (items: readonly Item[]) =>
        shown === null
          ? items.length >= Math.max(count.current, 1)
          : items.length === 0 || lastShared(shown.items, items) >= 0 || items.length >= MOST_REFRESHED
      let all: Pages<Item> = { items: [], next: null }
      for (let pages = 1; ; pages++) {
        const limit = shown !== null && pages === 1 ? REFRESH_SIZE : PAGE_SIZE
        const page = await load({ limit, ...(all.next !== null && { cursor: all.next }) }, signal)
        all = { items: [...all.items, ...page.items], next: page.next }
        if (all.next === null || isEnough(all.items)) return all
      }
    },
    merge,
    { everyMs, initial: restored?.pages },
  )
  count.current = value?.items.length ?? 0
  useKept(key, value, restored, () => void refresh())

  async function more() {
    if (older.isLoading || value === undefined || value.next === null) return
    setOlder({ isLoading: true })
    const controller = new AbortController()
    loadingMore.current = controller
    const { signal } = controller
    try {
      let page: Pages<Item> = { items: [], next: value.next }
      while (page.items.length === 0 && page.next !== null) {
        page = await load({ limit: PAGE_SIZE, cursor: page.next }, signal)
      }
      signal.throwIfAborted()
      update((shown) =>
        shown?.next === value.next
          ? { items: [...shown.items, ...page.items], next: page.next }
          : (shown ?? value),
      )
      setOlder({ isLoading: false })
    } catch (error) {
      setOlder({ isLoading: false, ...(!signal.aborted && { error }) })
    }
  }

  return {
    ...loaded,
    error: loaded.error ?? older.error,
    isLoadingMore: older.isLoading,
    value: value?.items,
    hasMore: (value?.next ?? null) !== null,
    more: () => void more(),
    reload() {
      setOlder({ isLoading: false })
      return loaded.reload()
    },
    area,
    waiting: late?.key === key ? late.rows : 0,
    catchUp() {
      if (late !== null) update(() => late.pages)
      setLate(null)
    },
    set: (items) => update((shown) => ({ items, next: shown?.next ?? null })),
  }
}

interface Kept<Item> {
  readonly pages: Pages<Item>
  readonly scroll: number
}

/** Keeps the pages and the position while one of their items is shown, and comes back to both. */
function useKept<Item>(
  key: string,
  pages: Pages<Item> | undefined,
  restored: Kept<Item> | undefined,
  refresh: () => void,
): void {
  const { kept } = usePortal()
  const latest = useRef({ key, pages })
  latest.current = { key, pages }
  const scroll = useRef(0)
  useLayoutEffect(() => {
    const onScroll = () => {
      scroll.current = scrollY
    }
    if (restored !== undefined) {
      scrollTo(0, restored.scroll)
      refresh()
    }
    scroll.current = scrollY
    addEventListener('scroll', onScroll)
    return () => {
      removeEventListener('scroll', onScroll)
      if (latest.current.pages !== undefined)
        kept.set(latest.current.key, { pages: latest.current.pages, scroll: scroll.current })
    }
  }, [])
}

function isInUse(area: HTMLElement | null): boolean {
  return area !== null && (area.matches(':hover, :focus-within') || area.getBoundingClientRect().top < 0)
}

/** How many rows are in one of two lists only, of what both reach; those that moved count, too. */
function differing<Item extends Listed>(shown: readonly Item[], next: readonly Item[]): number {
  const before = new Map(shown.map(({ id, created_at }) => [id, created_at]))
  const come = next.filter(({ id, created_at }) => before.get(id) !== created_at).length
  const after = new Set(next.map(({ id }) => id))
  return come + shown.filter(({ id }) => !after.has(id)).length
}

/** The index of the last shown item that is among the newest, unchanged; -1: none. */
function lastShared<Item extends Listed>(shown: readonly Item[], newest: readonly Item[]): number {
  const times = new Map(newest.map(({ id, created_at }) => [id, created_at]))
  return shown.findLastIndex(({ id, created_at }) => times.get(id) === created_at)
}

/**
 * The newest items, then those shown after what both have, except for those that are newest again: a delivery that was
 * tried once more. Where they have nothing in common, the list begins again.
 */
function merged<Item extends Listed>(shown: Pages<Item>, newest: Pages<Item>): Pages<Item> {
  if (newest.items.length === 0 && newest.next !== null) return shown
  const last = lastShared(shown.items, newest.items)
  const ids = new Set(newest.items.map(({ id }) => id))
  const earlier =
    last < 0 || newest.next === null ? [] : shown.items.slice(last + 1).filter(({ id }) => !ids.has(id))
  if (earlier.length === 0) return newest
  return { items: [...newest.items, ...earlier], next: shown.next }
}
