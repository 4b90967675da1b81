import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { DEFAULT_DELIVERY_POLICY as policy } from '../src/model/delivery.ts'

const guide = readFileSync(new URL('../../../docs/guides/receiving-webhooks.md', import.meta.url), 'utf8')

/** For people; in whole minutes from an hour on. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const parts: [number, string][] =
    seconds >= 3600
      ? [
          [Math.floor(seconds / 3600), 'h'],
          [Math.round((seconds % 3600) / 60), 'min'],
        ]
      : [
          [Math.floor(seconds / 60), 'min'],
          [seconds % 60, 's'],
        ]
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

it('the guide for receivers lists the default attempts and waits', () => {
  const waits = Array.from({ length: policy.maxAttempts - 1 }, (_, index) =>
    duration(policy.backoffMs * policy.backoffFactor ** index),
  )
  const text = guide.replaceAll('\n', ' ')
  expect(text).toContain(`There are ${policy.maxAttempts} attempts.`)
  expect(text).toContain(`${waits.slice(0, -1).join(', ')} and ${waits.at(-1)}, each up to a fifth`)
  expect(policy.jitter).toBe(1 / 5)
  expect(text).toContain(`at most ${policy.maxRetryAfterMs / 3_600_000} hours`)
  expect(policy.timeoutMs).toBe(10_000)
  expect(policy.disableAfterMs).toBe(5 * 24 * 3_600_000)
})
