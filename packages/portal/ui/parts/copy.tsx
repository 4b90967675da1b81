import { useEffect, useState } from 'preact/hooks'
import { usePortal } from '../portal.ts'
import { Button } from './button.tsx'

const SHOWN_MS = 2000

/** Copies a text. If the browser refuses, it can still be selected. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t, announcement } = usePortal()
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
      announcement.value = t('copy.done')
    } catch {
      setState('failed')
      announcement.value = t('copy.failed')
    }
  }
  const labels = { idle: label ?? t('copy.do'), copied: t('copy.done'), failed: t('copy.failed') }
  return <Button onClick={() => void copy()}>{labels[state]}</Button>
}

/** A secret that is shown once, with a copy button. */
export function Secret({ value }: { value: string }) {
  return (
    <div class="secret">
      <code>{value}</code>
      <CopyButton text={value} />
    </div>
  )
}
