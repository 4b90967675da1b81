import type { ComponentChildren } from 'preact'
import type { Target } from '../navigation.ts'
import { usePortal } from '../portal.ts'

/** A link within the portal. If places have addresses, it can be opened in a new tab. */
export function Link({
  to,
  children,
  ...rest
}: {
  to: Target
  children: ComponentChildren
  class?: string
  title?: string
  current?: boolean
}) {
  const { navigation } = usePortal()
  const { current, class: className, title } = rest
  return (
    <a
      href={navigation.href(to) ?? '#'}
      class={className}
      title={title}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        navigation.go(to)
      }}
    >
      {children}
    </a>
  )
}
