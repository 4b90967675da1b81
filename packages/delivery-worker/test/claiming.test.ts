import { expect, it, vi } from 'vitest'
import { createClaiming } from '../src/lib/claiming.ts'

it("after a failed claim, the next ones are passed the worker's leases, for a minute", async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const leases = new Set(['a', 'b', 'c'])
  const claiming = createClaiming(() => [...leases])
  const told = () => claiming.run(async (held) => held)
  expect(await told()).toBeUndefined()

  await expect(claiming.run(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  leases.delete('b')
  expect(await told()).toEqual(['a', 'c'])
  leases.add('d')
  vi.advanceTimersByTime(59_000)
  expect(await told()).toEqual(['a', 'c', 'd'])
  vi.advanceTimersByTime(2000)
  expect(await told()).toBeUndefined()
  vi.useRealTimers()
})
