import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type LossyProxy, lossyProxy, type TestDatabase } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { DrizzleStorage, drizzleStorage } from '../../src/index.ts'
import { sampleQuotation } from './samples.ts'

const ORGANIZATION = '0198b2a0-0000-7000-8000-000000000001'

/** The effects of lost connections, tested on the storage in this repository or one installed from its tarball. */
export function connectionLossTests(load: () => Promise<{ drizzleStorage: typeof drizzleStorage }>): void {
  let testing: TestDatabase
  let proxy: LossyProxy
  let storage: DrizzleStorage
  let ids: string[]

  beforeAll(async () => {
    const { drizzleStorage } = await load()
    testing = await emptyDatabase()
    proxy = await lossyProxy(testing.url)
    storage = drizzleStorage({ connectionString: proxy.url, maxConnections: 4 })
    await storage.migrate()
    const quotations = Array.from({ length: 20 }, () => sampleQuotation({ organization_id: ORGANIZATION }))
    for (const quotation of quotations) await storage.quotations.accept(quotation, null)
    ids = quotations.map(({ id }) => id)
  })

  afterEach(() => proxy.refuse(false))

  afterAll(async () => {
    await storage.close()
    await proxy.stop()
    await testing.drop()
  })

  /** Reads quotations in a loop until stopped, at least once. Retries failed reads. */
  async function keepReading(isOver: () => boolean, read: (id: string) => Promise<string>) {
    const wrong: string[] = []
    let answers = 0
    let losses = 0
    while (!isOver() || answers === 0) {
      const id = ids[answers % ids.length] ?? ''
      try {
        const found = await read(id)
        answers += 1
        if (found !== id) wrong.push(`${found} for ${id}`)
      } catch (error) {
        expect(error).toMatchObject({ name: 'StorageError' })
        losses += 1
        // Some at once, some later, to detect responses that reach the wrong caller.
        if (losses % 2 === 0) await nextTurn()
        else if (losses % 3 === 0) await sleep(1)
      }
    }
    return { wrong, answers, losses }
  }

  async function readOne(id: string): Promise<string> {
    const found = await storage.quotations.find(ORGANIZATION, id)
    return typeof found === 'string' ? found : found.id
  }

  function readInTransaction(id: string): Promise<string> {
    return storage.transaction(async (transaction) => {
      const names = await transaction.quotations.findNames(ORGANIZATION, [id])
      // Waits for something other than the database, so no statement notices the loss.
      await sleep(names.size)
      const progress = await transaction.quotations.lockProgress(id)
      return progress?.quotation_id ?? 'nothing'
    })
  }

  describe.each([
    ['single statements', readOne],
    ['transactions', readInTransaction],
  ])('lost connections under %s', (_, read) => {
    it.each(['reset', 'close'] as const)(
      '(%s) only fail calls in flight, and never mix up responses',
      async (how) => {
        let isOver = false
        const readers = Array.from({ length: 24 }, () => keepReading(() => isOver, read))
        for (let cut = 0; cut < 20; cut += 1) {
          await sleep(40)
          proxy.cut(how)
        }
        await sleep(200)
        isOver = true

        const results = await Promise.all(readers)
        expect(results.flatMap(({ wrong }) => wrong)).toEqual([])
        for (const { answers } of results) expect(answers).toBeGreaterThan(0)
        expect(results.some(({ losses }) => losses > 0)).toBe(true)
        // All connections work again.
        const found = await Promise.all(ids.map(read))
        expect(found).toEqual(ids)
      },
    )
  })

  it('A load balancer without a database causes an error, not an endless wait', async () => {
    proxy.refuse(true)
    proxy.cut('close')
    await sleep(50)
    await expect(readOne(ids[0] ?? '')).rejects.toMatchObject({ name: 'StorageError' })
    proxy.refuse(false)
    await expect.poll(() => readOne(ids[0] ?? '').catch(() => 'not yet')).toBe(ids[0])
  })
}
