import { useState } from 'preact/hooks'
import type { Delivery } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { usePortal } from '../portal.ts'
import { useAction, useHere } from '../use-action.ts'

/** Sends a delivery again; asks first if it was delivered. */
export function Resend({ delivery, endpointName }: { delivery: Delivery; endpointName: string }) {
  const { t, client, navigation, announcer, answered } = usePortal()
  const [isAsking, setAsking] = useState(false)
  const action = useAction()
  const here = useHere()

  async function resend() {
    const resent = await client.deliveries.resend(delivery.id)
    announcer.say(t('delivery.resent'))
    answered.delivery = resent
    setAsking(false)
    if (here.current) navigation.go({ view: 'deliveries', id: resent.id }, { isDone: true })
  }

  return (
    <>
      <Button
        kind="primary"
        isBusy={action.isRunning}
        onClick={() => (delivery.status === 'succeeded' ? setAsking(true) : void action.run(resend))}
      >
        {t('delivery.resend')}
      </Button>
      {!isAsking && <ErrorNotice error={action.error} />}
      {isAsking && (
        <FormDialog
          title={t('delivery.resend.title')}
          submit={t('delivery.resend')}
          action={action}
          onSubmit={resend}
          onClose={() => setAsking(false)}
        >
          <p>{t('delivery.resend.text', { name: endpointName })}</p>
        </FormDialog>
      )}
    </>
  )
}
