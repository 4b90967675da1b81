// Erases in batches of one row, and is killed while a given method is called for the nth time.
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLogger } from '@quickquote/core'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'

const [, , connectionString, method, nth] = process.argv
const storage = drizzleStorage({ connectionString })
if (!(method in storage.erasure) && !(method in storage.files))
  throw new Error(`There is no method ${method}.`)
let calls = 0

const killing = (part) =>
  Object.fromEntries(
    Object.entries(part).map(([name, call]) => [
      name,
      (...given) => {
        const under = name === 'removeRows' ? call(given[0], 1) : call(...given)
        if (name === method && ++calls === Number(nth))
          setImmediate(() => process.kill(process.pid, 'SIGKILL'))
        return under
      },
    ]),
  )

const integrations = integrationsOn(
  { ...storage, files: killing(storage.files), erasure: killing(storage.erasure) },
  { logger: silentLogger },
)
for (;;) {
  while (await integrations.continueErasing()) {}
  // A process that was killed may leave a transaction open for a moment.
  await sleep(20)
}
