import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

declare global {
  var collectsGarbage: boolean | undefined
}

const EVERY_MS = 20

/** Collects garbage all the time, in each process of tests (`pnpm test:gc`): what nobody holds is gone before anybody needs it. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  for (;;) {
    gc()
    // The pause comes after the collection, or a large heap would leave time for nothing else.
    await sleep(EVERY_MS, undefined, { ref: false })
  }
}

// The files of a package share processes.
if (globalThis.collectsGarbage === undefined) void collect()
globalThis.collectsGarbage = true
