import { Code } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { InfoDialog } from '../parts/dialog.tsx'
import { usePortal } from '../portal.ts'
import type { PortalSettings } from '../settings.ts'

/** The command that receives events without an endpoint. */
export function Listen({ onClose }: { onClose: () => void }) {
  const { t, settings } = usePortal()
  const command = listenCommand(settings)
  return (
    <InfoDialog isWide title={t('listen.title')} actions={<CopyButton text={command} />} onClose={onClose}>
      <p class="lead">{t('listen.text')}</p>
      <Code text={command} label={t('listen.title')} />
      <p class="hint">{t('listen.port')}</p>
    </InfoDialog>
  )
}

function listenCommand({ apiUrl, productName }: PortalSettings): string {
  const service = new URL(apiUrl, document.baseURI).href.replace(/\/$/, '')
  return [
    'export QUICKQUOTE_API_KEY=pk_…',
    'npx @quickquote/client listen \\',
    `  --base-url ${service} \\`,
    ...(productName === 'Service' ? [] : [`  --header-prefix ${productName} \\`]),
    '  --forward-to http://localhost:4000/webhooks',
  ].join('\n')
}
