import { useState } from 'preact/hooks'
import type { WebhookEndpoint } from '../api/types.ts'
import { Breakable } from '../parts/breakable.tsx'
import { Example } from '../parts/copy.tsx'
import { InfoDialog } from '../parts/dialog.tsx'
import { Filter } from '../parts/filter.tsx'
import { Pending } from '../parts/list.tsx'
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
export function HowToVerify({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const { t } = usePortal()
  return (
    <InfoDialog isWide title={t('verify.title')} onClose={onClose}>
      <p class="lead">{t('verify.text')}</p>
      <VerifySnippet url={endpoint.url} />
    </InfoDialog>
  )
}

/** The default of the service, where its own is not known. */
const DEFAULT_TIMEOUT_MS = 10_000

/** JavaScript has a program; the other languages have a function. */
const FILE = 'receiver.mjs'

/** The code that verifies, in the receiver's language, and how to run it. */
export function VerifySnippet({ url, secret = 'whsec_…' }: { url: string; secret?: string }) {
  const { t, rich, settings, format } = usePortal()
  const [language, setLanguage] = useState<Language>('js')
  const snippets = useLoaded('snippets', async () => (await import('./snippets.ts')).snippets)
  const snippet = snippets.value?.[language]
  const text = snippet === undefined ? undefined : withHeaders(withPath(snippet, url), settings.productName)
  const commands = `npm install @quickquote/webhook-signature fastify\nexport WEBHOOK_SECRETS=${secret}\nnode ${FILE}`
  const address = (
    <code>
      <Breakable text={url} />
    </code>
  )
  return (
    <>
      <Filter
        isOpen
        label={t('verify.language')}
        options={LANGUAGES}
        value={language}
        onChange={setLanguage}
      />
      <Pending loaded={snippets} />
      {text !== undefined && (
        <>
          <Example text={text} label={t('verify.title')} />
          {language === 'js' ? (
            <>
              <p class="lead">{rich('verify.run', { file: <code>{FILE}</code> })}</p>
              <Example text={commands} label={t('verify.commands')} />
              <p class="lead">{rich('verify.https', { url: address })}</p>
            </>
          ) : (
            <p class="lead">
              {rich('verify.call', {
                url: address,
                time: format.duration(settings.timeoutMs ?? DEFAULT_TIMEOUT_MS),
              })}
            </p>
          )}
        </>
      )}
    </>
  )
}

/** The snippets use a fixed path. */
function withPath(snippet: string, url: string): string {
  // Fastify reads a single colon as a parameter.
  const path = new URL(url).pathname.replaceAll("'", "\\'").replaceAll(':', '::')
  return snippet.replace("path: '/hooks/quotes'", () => `path: '${path}'`)
}

/** The snippets use the default header names. */
function withHeaders(snippet: string, productName: string): string {
  if (productName === 'Service') return snippet
  return snippet
    .replaceAll('X-Service-', `X-${productName}-`)
    .replaceAll('X_SERVICE_', `X_${productName.toUpperCase().replaceAll('-', '_')}_`)
    .replace('  async onEvent', `  headerPrefix: '${productName}',\n  async onEvent`)
}
