import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { usePortal } from '../portal.ts'
import type { PortalSettings } from '../settings.ts'

/** The command that receives events without an endpoint. */
export function Listen({ onClose }: { onClose: () => void }) {
  const { t, settings } = usePortal()
  const command = listenCommand(settings)
  return (
    <Dialog
      isWide
      title={t('listen.title')}
      onClose={onClose}
      footer={
        <>
          <CopyButton text={command} />
          <Button kind="primary" onClick={onClose}>
            {t('action.close')}
          </Button>
        </>
      }
    >
      <p class="lead">{t('listen.text')}</p>
      <Code text={command} label={t('listen.title')} />
      <p class="hint">{t('listen.port')}</p>
    </Dialog>
  )
}

function listenCommand({ apiUrl, productName }: PortalSettings): string {
  const service = new URL(apiUrl, document.baseURI).href.replace(/\/$/, '')
  return [
    'export QUICKQUOTE_API_KEY=pk_…',
    'npx @quickquote/client listen \\',
    `  --base-url ${service} \\`,
    ...(productName === 'Service' ? [] : [`  --header-prefix ${productName} \\`]),
    '  --forward-to http://localhost:3000/webhooks',
  ].join('\n')
}
