import type { ComponentChildren } from 'preact'

/** A part of a screen with a title. */
export function Card({
  title,
  aside,
  isBusy,
  class: className = 'card',
  children,
}: {
  title: ComponentChildren
  /** At the end of the line of the title. */
  aside?: ComponentChildren
  isBusy?: boolean
  class?: string
  children: ComponentChildren
}) {
  return (
    <section class={className} aria-busy={isBusy}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}

/** A name and a value in a list `facts`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
