import type { ComponentChildren } from 'preact'

export type Tone = 'good' | 'bad' | 'wait' | 'off'

/** A dot and a word: filled if ended, hollow if in progress or waiting. */
export function Status({
  tone,
  isHollow = tone === 'wait' || tone === 'off',
  children,
}: {
  tone: Tone
  isHollow?: boolean
  children: ComponentChildren
}) {
  return (
    <span class="status">
      <Dot tone={tone} isHollow={isHollow} />
      <span>{children}</span>
    </span>
  )
}

export function Dot({ tone, isHollow = false }: { tone: Tone; isHollow?: boolean }) {
  return <span class={`dot ${tone}${isHollow ? ' hollow' : ''}`} aria-hidden="true" />
}
