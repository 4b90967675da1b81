import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

/** A Markdown file of the project: its path from the root, and its text. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** The pages for readers: at the top, below docs/, and the README of each package and example. */
export function pages(): Page[] {
  const paths = [
    ...readdirSync(ROOT),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true }).map((path) => join('docs', String(path))),
    ...['packages', 'examples'].flatMap((folder) =>
      readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/README.md`),
    ),
  ]
  return paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) => {
      try {
        return [{ path, text: readFileSync(join(ROOT, path), 'utf8') }]
      } catch {
        return []
      }
    })
}

export interface CodeBlock {
  /** `ts`, `sh` and so on; empty if the page does not name one. */
  readonly language: string
  readonly code: string
  /** The line of the page on which the code begins. */
  readonly line: number
  /** The test that runs it, if a comment above names one: `<!-- test: path/of.test.ts runs … -->`. */
  readonly test: string | null
}

const FENCE = /^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm

/** The fenced blocks of a page. A named test applies until the next named test. */
export function codeBlocks({ text }: Page): CodeBlock[] {
  return [...text.matchAll(FENCE)].map((match) => {
    const before = text.slice(0, match.index)
    return {
      language: match[1] ?? '',
      code: match[2] ?? '',
      line: before.split('\n').length + 1,
      test: [...before.matchAll(/<!-- test: ([^\s,]+)/g)].at(-1)?.[1] ?? null,
    }
  })
}

/** The targets of links and images. */
export function links(page: Page): string[] {
  const inline = [...withoutCode(page.text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map(
    (match) => match[1] ?? '',
  )
  const html = [...withoutCode(page.text).matchAll(/<(?:a|img)[^>]* (?:href|src)="([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )
  return [...inline, ...html]
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ')

/** A text without its code, in which brackets are not links and hashes are not headings. Keeps the lines. */
export function withoutCode(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, blank).replace(/`[^`\n]*`/g, blank)
}

/** The words of a text, without code, comments or addresses. Keeps the lines. */
export function wordsOf(text: string): string {
  return withoutCode(text).replace(/<!--[\s\S]*?-->|<\/?[a-z][^>\n]*>|\]\([^)]*\)|^\[[^\]]+\]: .*$/gm, blank)
}
