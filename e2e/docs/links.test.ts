import { existsSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { links, type Page, pages, ROOT } from './pages.ts'

const all = pages()

/** The anchors that GitHub derives from a page's headings. */
function anchors(page: Page): string[] {
  return [...page.text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(
    ([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
  )
}

/** The fault of a link, or null. */
function faultOf(page: Page, link: string): string | null {
  if (/^[a-z]+:/.test(link))
    return link.startsWith('https://') || link.startsWith('mailto:') ? null : 'no https'
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page.path : normalize(join(dirname(page.path), path))
  if (!existsSync(join(ROOT, target))) return 'there is no such file'
  if (anchor === undefined) return null
  const linked = all.find((each) => each.path === target)
  if (linked === undefined)
    return statSync(join(ROOT, target)).isDirectory() ? 'a folder has no anchors' : null
  return anchors(linked).includes(anchor) ? null : 'there is no such heading'
}

describe('The links of the documents', () => {
  it.each(all.map((page) => [page.path, page] as const))('lead somewhere: %s', (_, page) => {
    const broken = links(page).flatMap((link) => {
      const fault = faultOf(page, link)
      return fault === null ? [] : [`${link}: ${fault}`]
    })
    expect(broken).toEqual([])
  })

  it('reach every page from the README', () => {
    const reached = new Set<string>()
    const waiting = ['README.md']
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const page = all.find((each) => each.path === path)
      if (page === undefined || reached.has(path)) continue
      reached.add(path)
      for (const link of links(page)) {
        if (/^[a-z]+:/.test(link)) continue
        const target = normalize(join(dirname(path), link.split('#')[0] ?? '')).replace(/\/$/, '')
        waiting.push(target, `${target}/README.md`)
      }
    }
    expect(all.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([])
  })
})
