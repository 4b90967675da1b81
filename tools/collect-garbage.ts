import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const EVERY_MS = 20

/** Collects garbage continuously in each test process (`pnpm test:gc`), to expose objects that are released too early. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  for (;;) {
    gc()
    // Pauses after each collection, or a large heap would leave no time for tests.
    await sleep(EVERY_MS, undefined, { ref: false })
  }
}

void collect()
