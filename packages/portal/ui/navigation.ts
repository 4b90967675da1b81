import { type Signal, signal } from '@preact/signals'

/** The current view, such as `deliveries/0197…?status=failed`, and its organization. */
export interface Place {
  readonly organizationId: string | null
  readonly view: string
  readonly id: string | null
  readonly query: Readonly<Record<string, string>>
}

/** A place to go to. Missing parts are dropped. */
export type Target = Pick<Place, 'view'> & Partial<Place>

export interface Navigation {
  readonly place: Signal<Place>
  go(target: Target, options?: { replace?: boolean }): void
  /** The address of a place, if places have one. */
  href(target: Target): string | undefined
}

/** Keeps the place in the address after `#`, which never reaches a server or a log, and works below any prefix. */
export function hashNavigation(): Navigation & { stop(): void } {
  const read = () => {
    const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?')
    const [organizationId, view, id] = path.split('/').map(decode)
    return {
      organizationId: organizationId || null,
      view: view || '',
      id: id || null,
      query: Object.fromEntries(new URLSearchParams(search)),
    }
  }
  const place = signal<Place>(read())
  const onChange = () => {
    place.value = read()
  }
  addEventListener('hashchange', onChange)
  const href = ({ organizationId = place.value.organizationId, view, id, query = {} }: Target) => {
    const path = [organizationId, view, id]
      .filter((part) => part)
      .map((part) => encodeURIComponent(part ?? ''))
    return `#/${path.join('/')}${searchOf(query)}`
  }
  return {
    place,
    href,
    go(target, { replace = false } = {}) {
      history[replace ? 'replaceState' : 'pushState'](null, '', href(target))
      onChange()
    },
    stop: () => removeEventListener('hashchange', onChange),
  }
}

/** Keeps the place in this object: for an element in a page with its own address. */
export function memoryNavigation(start: Place, onGo: (place: Place) => void): Navigation {
  const place = signal<Place>(start)
  return {
    place,
    href: () => undefined,
    go({ organizationId = place.value.organizationId, view, id = null, query = {} }) {
      place.value = { organizationId, view, id, query }
      onGo(place.value)
    },
  }
}

function searchOf(query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? '' : `?${search}`
}

/** Accepts a `%` that someone typed. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
