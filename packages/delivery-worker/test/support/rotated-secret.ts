import { adminOf } from '@quickquote/dev-servers/host'
import { certificate, type HostOptions, ORGANIZATION, openHost, openReceiver } from './host.ts'

/** An endpoint whose secret is rotated twice while a worker runs, with the partner's requests from before and after. */
export async function rotated(delivery: HostOptions['delivery'] = {}) {
  const partner = await openReceiver()
  const host = await openHost({ delivery })
  const { id, secret } = await host.createEndpoint(partner.url)
  await host.createWorker({ ca: certificate.cert }).start()
  await host.finishStep()
  const before = await partner.next()
  const rotate = async () => {
    const rotation = { overlap_seconds: 3600 }
    const { webhookEndpoints } = host.integrations
    return (await webhookEndpoints.rotateSecret(adminOf(ORGANIZATION), id, rotation)).secret.reveal()
  }
  const [between, another] = [await rotate(), await rotate()]
  await host.finishStep()
  return { secret, between, another, before, during: await partner.next() }
}
