import { type Signal, signal } from '@preact/signals'

/** The current view, such as `deliveries/0197…?status=failed`, and its organization. */
export interface Place {
  readonly organizationId: string | null
  readonly view: string
  readonly id: string | null
  readonly query: Readonly<Record<string, string>>
}

export type LeaveReason = 'draft' | 'running' | 'secret'

interface Leaving {
  readonly why: LeaveReason
  leave(): void
  stay(): void
}

interface GoOptions {
  replace?: boolean
  /** Nothing can be lost, so nobody is asked. */
  isDone?: boolean
}

/** A place to go to. Missing parts are dropped. */
export type Target = Pick<Place, 'view'> & Partial<Place>

export interface Navigation {
  readonly place: Signal<Place>
  /** Asks first if something holds the member here. */
  go(target: Target, options?: GoOptions): void
  /**
   * Holds the member here, such as for a draft.
   * @param why chooses the question
   * @returns ends it
   */
  hold(why: LeaveReason): () => void
  /** Runs it; asks first if something holds the member here. */
  leave(work: () => void): void
  /** What the member is asked, and how it goes on; null: nothing. */
  readonly leaving: Signal<Leaving | null>
  /** The address of a place, if places have one. */
  href(target: Target): string | undefined
}

/**
 * Everything that must not be left without a question, also not by closing the page.
 * @param onHold gets the reason of the question; null: there is none
 */
export function holding(onHold: (why: LeaveReason | null) => void = () => {}) {
  const reasons = new Set<{ why: LeaveReason }>()
  const leaving = signal<Leaving | null>(null)
  const onUnload = (event: Event) => event.preventDefault()
  const tell = () => onHold([...reasons].at(-1)?.why ?? null)

  function hold(why: LeaveReason) {
    const reason = { why }
    reasons.add(reason)
    tell()
    addEventListener('beforeunload', onUnload)
    return () => {
      reasons.delete(reason)
      tell()
      // The question no longer holds: what was running may show its result now.
      if (leaving.value?.why === why) leaving.value = null
      if (reasons.size === 0) removeEventListener('beforeunload', onUnload)
    }
  }
  /** @returns whether `leave` runs only after the member's consent */
  function asks(leave: () => void, isDone = false): boolean {
    const reason = [...reasons].at(-1)
    if (reason === undefined || isDone) return false
    const end = () => {
      leaving.value = null
    }
    leaving.value = {
      why: reason.why,
      stay: end,
      leave() {
        end()
        leave()
      },
    }
    return true
  }
  const leave = (work: () => void) => {
    if (!asks(work)) work()
  }
  return { hold, asks, leave, leaving }
}

/** Keeps the place in the address after `#`, which never reaches a server or a log, and works below any prefix. */
export function hashNavigation(): Navigation {
  const read = (): Place => {
    const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?')
    const [organizationId, view, id] = path.split('/').map(decode)
    return {
      organizationId: organizationId || null,
      view: view || '',
      id: id || null,
      query: Object.fromEntries(new URLSearchParams(search)),
    }
  }
  const place = signal(read())
  const show = () => {
    place.value = read()
  }
  const { asks, ...held } = holding()
  const href = ({ organizationId = place.value.organizationId, view, id, query = {} }: Target) => {
    const path = [organizationId, view, id]
      .filter((part) => part)
      .map((part) => encodeURIComponent(part ?? ''))
    return `#/${path.join('/')}${searchOf(query)}`
  }
  addEventListener('hashchange', () => {
    const there = location.href
    const leave = () => {
      history.pushState(null, '', there)
      show()
    }
    if (asks(leave)) history.pushState(null, '', href(place.value))
    else show()
  })
  return {
    place,
    href,
    ...held,
    go(target, { replace = false, isDone } = {}) {
      const leave = () => {
        history[replace ? 'replaceState' : 'pushState'](null, '', href(target))
        show()
      }
      if (!asks(leave, isDone)) leave()
    },
  }
}

export function searchOf(query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? '' : `?${search}`
}

/** Accepts a `%` that someone typed. */
export function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
