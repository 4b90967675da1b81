import { signal } from '@preact/signals'
import {
  decode,
  holding,
  type LeaveReason,
  type Navigation,
  type Place,
  searchOf,
  type Target,
} from './navigation.ts'

/** The path of a place within an organization, such as `deliveries/0197…?status=failed`. */
export function pathOf({ view, id = null, query = {} }: Target): string {
  const path = [view, id].filter((part) => part).map((part) => encodeURIComponent(part ?? ''))
  return path.join('/') + searchOf(query)
}

/** The place of a path. */
export function placeOf(path: string): Pick<Place, 'view' | 'id' | 'query'> {
  const [parts = '', search = ''] = path.split('?')
  const [view = '', id] = parts.split('/').map(decode)
  return { view, id: id || null, query: Object.fromEntries(new URLSearchParams(search)) }
}

/**
 * Keeps the place in this object: for an element in a page with its own address.
 * @param hooks.href the address in the host's page of a path; undefined: it has none
 */
export function memoryNavigation(
  start: Place,
  hooks: {
    onGo(place: Place): void
    onHold(why: LeaveReason | null): void
    href(path: string): string | undefined
  },
): Navigation {
  const place = signal<Place>(start)
  const { asks, ...held } = holding(hooks.onHold)
  return {
    place,
    ...held,
    href: (target) => hooks.href(pathOf(target)),
    go({ organizationId = place.value.organizationId, view, id = null, query = {} }, { isDone } = {}) {
      const leave = () => {
        place.value = { organizationId, view, id, query }
        hooks.onGo(place.value)
      }
      if (!asks(leave, isDone)) leave()
    },
  }
}
