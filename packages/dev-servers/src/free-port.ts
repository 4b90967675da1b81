import { createServer } from 'node:net'

/** A free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  const port = await new Promise<number>((resolvePort, reject) => {
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      if (address !== null && typeof address === 'object') resolvePort(address.port)
    })
  })
  await new Promise((closed) => probe.close(closed))
  return port
}
