import { expect, it } from 'vitest'
import { openChance, shuffled } from './chance.ts'

const numbers = (seed: number) => Array.from({ length: 1000 }, openChance(seed))

it('a seed always gives the same numbers, another seed others, all from 0 to below 1', () => {
  expect(numbers(7)).toEqual(numbers(7))
  expect(numbers(7)).not.toEqual(numbers(8))
  expect(Math.min(...numbers(7))).toBeGreaterThanOrEqual(0)
  expect(Math.max(...numbers(7))).toBeLessThan(1)
  expect(new Set(numbers(7)).size).toBe(1000)
})

it('a seed always gives the same order', () => {
  const items = ['a', 'b', 'c', 'd', 'e', 'f']
  const orders = [1, 1, 2].map((seed) => shuffled(items, openChance(seed)).join(''))
  expect(orders[0]).toBe(orders[1])
  expect(orders[0]).not.toBe(orders[2])
  expect(shuffled(items, openChance(1)).sort()).toEqual(items)
})
