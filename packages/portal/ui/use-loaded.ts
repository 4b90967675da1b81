import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export interface Loaded<Value> {
  /** The last loaded value. It stays during a reload, so that nothing jumps. */
  readonly value: Value | undefined
  readonly error: unknown
  readonly isLoading: boolean
  reload(): Promise<void>
  /** Replaces it with a newer value from the API. */
  set(value: Value): void
}

/**
 * Loads a value while a component is mounted.
 * @param key its dependency: a new key discards the value
 */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  { everyMs }: { everyMs?: number | undefined } = {},
): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: unknown; isLoading: boolean }>({
    key,
    isLoading: true,
  })
  const latest = useRef(load)
  latest.current = load
  const running = useRef<AbortController | null>(null)

  const reload = useCallback(async () => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }))
    try {
      const value = await latest.current(controller.signal)
      if (!controller.signal.aborted) setState({ key, value, isLoading: false })
    } catch (error) {
      if (controller.signal.aborted) return
      setState((before) =>
        before.key === key ? { ...before, error, isLoading: false } : { key, error, isLoading: false },
      )
    }
  }, [key])

  useEffect(() => {
    void reload()
    return () => running.current?.abort()
  }, [reload])

  useEffect(() => {
    if (everyMs === undefined) return
    const timer = setInterval(() => {
      // Not while the page is in the background.
      if (document.visibilityState === 'visible') void reload()
    }, everyMs)
    return () => clearInterval(timer)
  }, [reload, everyMs])

  const set = useCallback((value: Value) => setState({ key, value, isLoading: false }), [key])
  const current = state.key === key ? state : { isLoading: true, value: undefined, error: undefined }
  return { value: current.value, error: current.error, isLoading: current.isLoading, reload, set }
}

export interface LoadedPages<Item> extends Loaded<readonly Item[]> {
  readonly hasMore: boolean
  more(): void
}

/** A list whose pages are shown below each other. It can be refreshed while only the first page is shown. */
export function usePages<Item>(
  key: string,
  load: (
    page: { cursor?: string },
    signal: AbortSignal,
  ) => Promise<{ items: readonly Item[]; next: string | null }>,
  options: { everyMs?: number } = {},
): LoadedPages<Item> {
  const [count, setCount] = useState({ key, pages: 1 })
  const pages = count.key === key ? count.pages : 1
  const { value, ...loaded } = useLoaded(
    key,
    async (signal) => {
      const items: Item[] = []
      let next: string | null = null
      for (let page = 0; page < pages; page++) {
        const answer = await load(next === null ? {} : { cursor: next }, signal)
        items.push(...answer.items)
        next = answer.next
        if (next === null) break
      }
      return { items, next }
    },
    { everyMs: pages === 1 ? options.everyMs : undefined },
  )
  const { reload } = loaded
  useEffect(() => {
    if (pages > 1) void reload()
  }, [pages])
  return {
    ...loaded,
    value: value?.items,
    hasMore: (value?.next ?? null) !== null,
    more: () => setCount({ key, pages: pages + 1 }),
    set: (items) => loaded.set({ items: [...items], next: value?.next ?? null }),
  }
}
