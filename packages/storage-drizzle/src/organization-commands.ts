import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createIntegrations, type Erasure, type Integrations, silentLogger } from '@quickquote/core'
import type { DrizzleStorage } from './storage.ts'

const PROGRESS_EVERY_MS = 1000
/** Without progress for this long, the command asks whether a worker is running. */
const NO_PROGRESS_MS = 30_000
const NO_PROGRESS = 'No progress for 30 s. Check that a worker is running, and look at its log.\n'
const STILL_OPEN =
  'Nothing is left, but a transaction that began before is still open, or a prepared one: see pg_stat_activity and pg_prepared_xacts.\n'

interface EraseOptions {
  readonly yes: boolean
  readonly keepAuditLog: boolean
  readonly by?: string
}

/**
 * Counts what erasing the organization would remove; with `yes`, starts erasing and waits for the workers, which
 * continue if this process ends.
 * @returns the final output
 */
export async function eraseOrganization(
  storage: DrizzleStorage,
  organizationId: string,
  { yes, keepAuditLog, by }: EraseOptions,
  progress: Writable,
): Promise<string> {
  const { organizations } = facadeOf(storage)
  const running = await organizations.erasure(organizationId)
  if (!yes && running?.status !== 'erasing') {
    const counts = Object.entries(await storage.erasure.count(organizationId.toLowerCase()))
    const rows = counts.map(([table, count]) => `  ${table.padEnd(20)}${count}`)
    return `${['Rows of the organization:', ...rows].join('\n')}\nNothing has been erased. To erase all of this permanently, add --yes.\n`
  }
  if (yes) await organizations.erase(organizationId, { keepAuditLog, ...(by === undefined ? {} : { by }) })
  const { removed, left_to_host } = await followErasing(organizations, organizationId, progress)
  const left = left_to_host.length === 0 ? '' : ` Left for you to erase: ${left_to_host.join(', ')}.`
  return `Erased: ${sumOf(removed)} rows removed.${left}\n`
}

/** See `Organizations.export`. */
export async function exportOrganization(
  storage: DrizzleStorage,
  organizationId: string,
  after: string | undefined,
  output: Writable,
): Promise<void> {
  const lines = facadeOf(storage).organizations.export(organizationId, after === undefined ? {} : { after })
  for await (const line of lines) {
    if (!output.write(line)) await once(output, 'drain')
  }
}

async function followErasing(
  organizations: Integrations['organizations'],
  organizationId: string,
  output: Writable,
): Promise<Erasure> {
  output.write('Erasing. Workers do the work, so you can stop this command at any time.\n')
  let shown = ''
  let changedAt = performance.now()
  for (;;) {
    const erasure = await organizations.erasure(organizationId)
    if (erasure === null || erasure.status === 'erased') return erasure as Erasure
    const progress = `${erasure.status}: ${sumOf(erasure.removed)} rows removed\n`
    if (progress !== shown) {
      output.write(progress)
      shown = progress
      changedAt = performance.now()
    } else if (performance.now() - changedAt > NO_PROGRESS_MS) {
      output.write(erasure.status === 'sweeping' ? STILL_OPEN : NO_PROGRESS)
      changedAt = performance.now()
    }
    await sleep(PROGRESS_EVERY_MS)
  }
}

function sumOf(removed: Erasure['removed']): number {
  return Object.values(removed).reduce((sum, count) => sum + count, 0)
}

/** Neither erasing nor exporting uses the pipeline or a secret. */
function facadeOf(storage: DrizzleStorage): Integrations {
  const unused = async () => {
    throw new Error('This command has no pipeline.')
  }
  return createIntegrations({
    storage,
    pipeline: { start: unused, signDocumentUrl: unused },
    encryptionKeys: [{ id: 'unused', key: crypto.getRandomValues(new Uint8Array(32)) }],
    logger: silentLogger,
  })
}
