import { expect, it } from 'vitest'
import { pages } from './pages.ts'

const { text } =
  pages().find(({ path }) => path === 'docs/comparison.md') ?? expect.fail('there is no such page')
const sources = [...text.matchAll(/^\[([^\]]+)\]: (.+)$/gm)].map(([, name = '', url = '']) => ({ name, url }))

it('each cell of the comparison has a source, or is plainly "no"', () => {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').slice(1, -1))
  const [header = [], , ...products] = rows
  expect(products.length).toBeGreaterThan(20)
  for (const [subject, ...cells] of products) {
    expect(cells.length, subject).toBe(header.length - 1)
    for (const cell of cells) expect(cell.trim(), subject).toMatch(/\]\(|\]\[|^no$/)
  }
})

it('each source of the comparison is defined once, and cited', () => {
  const cited = [...text.matchAll(/\]\[([^\]]+)\]/g)].map(([, name = '']) => name)
  const defined = sources.map(({ name }) => name)
  expect(defined).toEqual([...new Set(cited)].sort())
})

it('a source in a repository names its commit, and lines in their order', () => {
  const files = sources.filter(({ url }) => /^https:\/\/github\.com\/[^/]+\/[^/]+\/./.test(url))
  expect(files.length).toBeGreaterThan(70)
  for (const { name, url } of files) {
    expect(url, name).toMatch(
      /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(blob|tree)\/[0-9a-f]{40}\/[\w./-]+(#(L[1-9]\d*(-L[1-9]\d*)?|[a-z-]+))?$/,
    )
    const [, first, last] = /#L(\d+)-L(\d+)$/.exec(url) ?? []
    if (first !== undefined) expect(Number(first), name).toBeLessThan(Number(last))
  }
})

it('every other source is an https address', () => {
  for (const { name, url } of sources) expect(new URL(url).protocol, name).toBe('https:')
})
