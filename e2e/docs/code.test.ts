import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { codeBlocks, pages, ROOT } from './pages.ts'

/** Not run: pictures, API responses (checked by schemas), plain text. */
const NOT_RUN = ['mermaid', 'http', 'text', 'diff']

const blocks = pages().flatMap((page) => codeBlocks(page).map((block) => ({ ...block, page: page.path })))
const named = (block: (typeof blocks)[number]) => `${block.page}:${block.line}`

describe('The code in the documents', () => {
  it('has a language in each block', () => {
    expect(blocks.filter(({ language }) => language === '').map(named)).toEqual([])
  })

  it('names the encryption key alike everywhere', () => {
    const named = blocks.flatMap(({ code }) => code.match(/\{ id: '[^']+', key: [^}]+\}/g) ?? [])
    expect(named.length).toBeGreaterThan(3)
    expect(new Set(named)).toEqual(new Set(["{ id: '1', key: process.env.INTEGRATIONS_KEY }"]))
  })

  it('is valid JSON if it is marked as JSON', () => {
    for (const block of blocks.filter(({ language }) => language === 'json')) {
      expect(() => JSON.parse(block.code), named(block)).not.toThrow()
    }
  })

  it('is type-checked, run by the test named above it, or only informative', () => {
    const untested = blocks.filter(
      ({ language, code, test }) =>
        !['json', 'ts', ...NOT_RUN].includes(language) &&
        !(language === 'sh' && code.trim().split('\n').every(isKnownCommand)) &&
        !(test !== null && existsSync(join(ROOT, test))),
    )
    expect(untested.map(named)).toEqual([])
  })

  /** The host's names (`app`, `pipeline`, `tx` …) are in host.d.ts. */
  it('type-checks, if it is TypeScript that no test runs', () => {
    const folder = mkdtempSync(join(import.meta.dirname, '.checked-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    for (const block of blocks.filter(({ language, test }) => language === 'ts' && test === null)) {
      const name = `${block.page.replaceAll('/', '_')}_${block.line}.ts`
      writeFileSync(join(folder, name), `${block.code}\nexport {}\n`)
    }
    // Not in host.d.ts, because the workspace's tests have the real one.
    const uuid = "declare module 'uuid' { export function v5(name: string, namespace: string): string }"
    writeFileSync(join(folder, 'uuid.d.ts'), uuid)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../../tsconfig.base.json',
        compilerOptions: {
          noEmit: true,
          composite: false,
          rootDir: null,
          noUnusedLocals: false,
          noUnusedParameters: false,
          noPropertyAccessFromIndexSignature: false,
          types: ['node'],
          // Not a dependency of the demo.
          paths: { '@quickquote/test-kit': [join(ROOT, 'packages/test-kit/dist/index.d.ts')] },
        },
        include: ['*.ts', '../host.d.ts'],
      }),
    )
    const tsc = join(ROOT, 'node_modules/.bin/tsc')
    const { stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
  }, 300_000)
})

/** Commands that need no test: scripts of the workspace, our packages, and plain Node. */
function isKnownCommand(line: string): boolean {
  const command = line.replace(/ +#.*$/, '')
  const [, script] = /^npx -y pnpm@[\d.]+ (?:run )?([\w:-]+)/.exec(command) ?? []
  if (script !== undefined) return script === 'install' || Object.hasOwn(manifest('.').scripts, script)
  const [, list] = /^npm install (?:-D |--save-dev )?([^&|;]+)$/.exec(command) ?? []
  if (list !== undefined)
    return list.split(' ').every((name) => !name.startsWith('@quickquote/') || isPublished(name))
  const [, program] = /^node -e "(.*)"$/.exec(command) ?? []
  return program !== undefined && spawnSync(process.execPath, ['-e', program]).status === 0
}

function isPublished(name: string): boolean {
  return manifest(`packages/${name.slice('@quickquote/'.length)}`).private !== true
}

function manifest(folder: string): { scripts: Record<string, string>; private?: boolean } {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}
