import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './pages.ts'

const page = readFileSync(join(ROOT, 'docs/spec-coverage.md'), 'utf8')

/** A clause, with the files that its row names. */
interface Row {
  readonly clause: string
  readonly builtIn: readonly string[]
  readonly heldBy: readonly { readonly file: string; readonly tests: readonly string[] }[]
}

const rows: Row[] = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (Clause|---) /.test(line))
  .map((line) => {
    const [, clause = '', built = '', held = ''] = line.split(/(?<!\\)\|/)
    return {
      clause: clause.trim(),
      builtIn: filesIn(built),
      heldBy: held.split('<br>').map((part) => ({
        file: filesIn(part)[0] ?? '',
        tests: [...part.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name.replaceAll('\\|', '|')),
      })),
    }
  })

function filesIn(cell: string): string[] {
  return [...cell.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path = '']) => path)
}

/** Whether a source holds the name as a literal: as the name of a test, or of one of its cases. */
function hasTest(source: string, name: string): boolean {
  return [`'${name.replaceAll("'", "\\'")}'`, `"${name}"`, `\`${name}\``].some((text) =>
    source.includes(text),
  )
}

describe('The coverage of the specification', () => {
  it('names for each clause where it is built, and a test', () => {
    expect(rows.length).toBeGreaterThan(100)
    const lacking = rows.filter(
      ({ builtIn, heldBy }) => builtIn.length === 0 || !heldBy.every(({ tests }) => tests.length > 0),
    )
    expect(lacking.map(({ clause }) => clause)).toEqual([])
  })

  it('names files that there are', () => {
    const files = rows.flatMap(({ builtIn, heldBy }) => [...builtIn, ...heldBy.map(({ file }) => file)])
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  it('names tests that there are', () => {
    const gone = rows
      .flatMap(({ heldBy }) => heldBy)
      .flatMap(({ file, tests }) => {
        const source = readFileSync(join(ROOT, file), 'utf8')
        return tests.filter((name) => !hasTest(source, name)).map((name) => `${file}: ${name}`)
      })
    expect(gone).toEqual([])
  })
})
