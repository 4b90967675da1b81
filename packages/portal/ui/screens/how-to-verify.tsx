import { useState } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Filter } from '../parts/field.tsx'
import { Skeleton } from '../parts/list-state.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { usePortal } from '../portal.ts'
import { useLoaded } from '../use-loaded.ts'

const LANGUAGES = [
  ['js', 'JavaScript'],
  ['python', 'Python'],
  ['go', 'Go'],
  ['ruby', 'Ruby'],
  ['php', 'PHP'],
  ['java', 'Java'],
] as const

type Language = (typeof LANGUAGES)[number][0]

/** Verification code in the receiver's language: functions that our own tests run. */
export function HowToVerify({ onClose }: { onClose: () => void }) {
  const { t } = usePortal()
  return (
    <Dialog
      isWide
      title={t('verify.title')}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {t('action.close')}
        </Button>
      }
    >
      <p class="lead">{t('verify.text')}</p>
      <VerifySnippet />
    </Dialog>
  )
}

/** What a receiver needs to verify, in the language that it is written in: the functions that our own tests run. */
export function VerifySnippet() {
  const { t, settings } = usePortal()
  const [language, setLanguage] = useState<Language>('js')
  const snippets = useLoaded('snippets', async () => (await import('./snippets.ts')).snippets)
  const snippet = snippets.value?.[language]
  const text = snippet === undefined ? undefined : withHeaders(snippet, settings.productName)
  return (
    <>
      <Filter
        isOpen
        label={t('verify.language')}
        options={LANGUAGES}
        value={language}
        onChange={setLanguage}
      />
      <ErrorNotice error={snippets.error} onRetry={() => void snippets.reload()} />
      {text === undefined ? (
        snippets.error === undefined && <Skeleton />
      ) : (
        <div class="example">
          <Code text={text} label={t('verify.title')} />
          <CopyButton text={text} />
        </div>
      )}
    </>
  )
}

/** The snippets use the default header names. */
function withHeaders(snippet: string, productName: string): string {
  if (productName === 'Service') return snippet
  return snippet
    .replaceAll('X-Service-', `X-${productName}-`)
    .replaceAll('X_SERVICE_', `X_${productName.toUpperCase().replaceAll('-', '_')}_`)
    .replace('  async onEvent', `  headerPrefix: '${productName}',\n  async onEvent`)
}
