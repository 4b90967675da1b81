import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { usePortal } from '../portal.ts'
import { Button } from './button.tsx'
import { Code } from './code.tsx'
import { Icon } from './icon.tsx'

const SHOWN_MS = 2000

/** Copies a text. If the browser refuses, it can still be selected. */
export function CopyButton({
  text,
  label,
  icon,
  onFailed,
}: {
  text: string
  label?: string
  icon?: ComponentChildren
  /** Shows a text that is nowhere else. */
  onFailed?: () => void
}) {
  const { t, announcer } = usePortal()
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
      announcer.say(t('copy.done'))
    } catch {
      setState('failed')
      announcer.say(t('copy.failed'))
      onFailed?.()
    }
  }
  const labels = { idle: label ?? t('copy.do'), copied: t('copy.done'), failed: t('copy.failed') }
  if (icon === undefined) return <Button onClick={() => void copy()}>{labels[state]}</Button>
  return (
    <Button kind="quiet" label={labels[state]} onClick={() => void copy()}>
      {state === 'idle' ? icon : <Icon name={state === 'copied' ? 'check' : 'close'} />}
    </Button>
  )
}

/** An id or an address, with a small button that copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const { t } = usePortal()
  return (
    <span class="copyable">
      <code title={text}>{text}</code>
      <CopyButton text={text} label={t('copy.of', { name: label })} icon={<Icon name="copy" />} />
    </span>
  )
}

/** Code or a body, with a copy button. */
export function Example({ text, label }: { text: string; label: string }) {
  return (
    <div class="example">
      <Code text={text} label={label} />
      <CopyButton text={text} />
    </div>
  )
}
