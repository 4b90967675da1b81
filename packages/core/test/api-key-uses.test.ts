import { createIntegrations, type Logger, type Storage } from '@quickquote/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { generateApiKeyValue } from '../src/model/api-key-value.ts'

const lines: string[] = []
const log = (_: object, message: string) => void lines.push(message)
const logger: Logger = { debug: log, info: log, warn: log, error: log }

/** The writes, in order. */
let written: string[][]
let refusals = 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  written = []
  refusals = 0
  lines.length = 0
})

afterEach(() => void vi.useRealTimers())

function open() {
  let keys = 0
  const storage = {
    transaction() {},
    quotations: {},
    async close() {},
    apiKeys: {
      async findByHash() {
        keys += 1
        return { id: `key ${keys}`, organization_id: 'o', status: 'active', expires_at: new Date(8e15) }
      },
      async recordUses(uses: ReadonlyMap<string, Date>) {
        if (refusals > 0) {
          refusals -= 1
          throw new Error('The database is unreachable.')
        }
        written.push([...uses.keys()])
      },
    },
  } as unknown as Storage
  return createIntegrations({
    storage,
    pipeline: { start: async () => {}, signDocumentUrl: async () => ({ url: '', expires_at: new Date() }) },
    encryptionKeys: [{ id: 'k', key: Buffer.alloc(32, 1) }],
    now: () => new Date(0),
    logger,
  })
}

const value = generateApiKeyValue().reveal()
const use = (integrations: ReturnType<typeof open>) => integrations.apiKeys.authenticate(value)
const settle = () => vi.advanceTimersByTimeAsync(0)

describe('uses of API keys', () => {
  it('are written at once after a pause, and in batches if frequent', async () => {
    const integrations = open()

    await use(integrations)
    await settle()
    expect(written).toEqual([['key 1']])

    await use(integrations)
    await use(integrations)
    await settle()
    expect(written).toEqual([['key 1']])
    await vi.advanceTimersByTimeAsync(500)
    expect(written).toEqual([['key 1'], ['key 2', 'key 3']])

    await vi.advanceTimersByTimeAsync(60_000)
    await use(integrations)
    await settle()
    expect(written).toEqual([['key 1'], ['key 2', 'key 3'], ['key 4']])
  })

  it('are retried with the next batch after a failed write, with one log line', async () => {
    const integrations = open()
    refusals = 2

    await use(integrations)
    await settle()
    await use(integrations)
    await vi.advanceTimersByTimeAsync(1000)
    await vi.advanceTimersByTimeAsync(2000)

    expect(written).toEqual([['key 1', 'key 2']])
    expect(lines).toEqual(['last_used_at of API keys could not be written'])
  })

  it('are all written on close', async () => {
    const integrations = open()
    refusals = 1
    await use(integrations)
    await settle()
    await use(integrations)

    await integrations.close()

    expect(written).toEqual([['key 1', 'key 2']])
  })
})
