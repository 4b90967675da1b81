import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './pages.ts'

/** The source of docs/reference/spec-coverage.md: a clause, the files that implement it, and tests by their file. */
interface Clause {
  readonly clause: string
  readonly code: readonly string[]
  readonly tests: Readonly<Record<string, readonly string[]>>
}

const parts: { readonly sections: readonly { readonly clauses: readonly Clause[] }[] }[] = JSON.parse(
  readFileSync(join(ROOT, 'e2e/docs/reference/spec-coverage.json'), 'utf8'),
)
const clauses = parts.flatMap(({ sections }) => sections.flatMap((section) => section.clauses))

/** Whether a source contains the name as a literal, as a test or one of its cases has it. */
function hasTest(source: string, name: string): boolean {
  return [`'${name.replaceAll("'", "\\'")}'`, `"${name}"`, `\`${name}\``].some((text) =>
    source.includes(text),
  )
}

describe('The coverage of the specification', () => {
  it('names code and tests for each clause', () => {
    expect(clauses.length).toBeGreaterThan(100)
    const lacking = clauses.filter(({ code, tests }) => {
      const names = Object.values(tests)
      return code.length === 0 || names.length === 0 || names.some((each) => each.length === 0)
    })
    expect(lacking.map(({ clause }) => clause)).toEqual([])
  })

  it('names files that exist', () => {
    const files = clauses.flatMap(({ code, tests }) => [...code, ...Object.keys(tests)])
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  it('names tests that exist', () => {
    const gone = clauses
      .flatMap(({ tests }) => Object.entries(tests))
      .flatMap(([file, names]) => {
        const source = readFileSync(join(ROOT, file), 'utf8')
        return names.filter((name) => !hasTest(source, name)).map((name) => `${file}: ${name}`)
      })
    expect(gone).toEqual([])
  })
})
