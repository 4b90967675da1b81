import { afterEach, expect, it, vi } from 'vitest'
import { withOtherStorages } from '../src/services/other-storages.ts'
import type { Storage } from '../src/storage/storage.ts'

afterEach(() => void vi.useRealTimers())

const storage = (find: () => Promise<unknown>) => ({ quotations: { find } }) as unknown as Storage
const unknown = async () => 'unknown'
const ofOthers = async () => 'other_organization'
const lookIn = (...others: Storage[]) => withOtherStorages(storage(unknown), others).quotations.find('a', 'b')

it('an ID that another organization has in another database is that organization’s', async () => {
  expect(await lookIn(storage(unknown), storage(ofOthers))).toBe('other_organization')
})

it('also in our own transaction, or one of the host', async () => {
  const bound = storage(unknown)
  const own: Storage = {
    ...bound,
    within: () => bound,
    transaction: (work) => work(bound),
  }
  const both = withOtherStorages(own, [storage(ofOthers)])

  expect(await both.within('a transaction').quotations.find('a', 'b')).toBe('other_organization')
  expect(await both.transaction(({ quotations }) => quotations.find('a', 'b'))).toBe('other_organization')
})

it('a database that is away, or cut off, knows no ID, and keeps nobody waiting for more than a second', async () => {
  expect(await lookIn(storage(() => Promise.reject(new Error('It is away.'))))).toBe('unknown')
  vi.useFakeTimers()
  const found = lookIn(storage(() => new Promise(() => {})))
  await vi.advanceTimersByTimeAsync(1000)
  expect(await found).toBe('unknown')
})
