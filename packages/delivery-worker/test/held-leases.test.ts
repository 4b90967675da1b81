import { expect, it, vi } from 'vitest'
import { createHeldLeases } from '../src/lib/held-leases.ts'

it("after a failed claim, the next ones are passed the worker's leases, for a minute", async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const leases = createHeldLeases()
  const told = () => leases.claiming(async (held) => held)
  leases.add(['a', 'b', 'c'])
  expect(await told()).toBeUndefined()

  await expect(leases.claiming(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  leases.remove(['b'])
  expect(await told()).toEqual(['a', 'c'])
  leases.add(['d'])
  vi.advanceTimersByTime(59_000)
  expect(await told()).toEqual(['a', 'c', 'd'])
  vi.advanceTimersByTime(2000)
  expect(await told()).toBeUndefined()
  vi.useRealTimers()
})
