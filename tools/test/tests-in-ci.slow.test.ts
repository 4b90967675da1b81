import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs test files as `.ci/run` does. The files know with `isFirst` whether they run for the first time. */
function runInCi(files: Record<string, string>) {
  const folder = mkdtempSync(join(import.meta.dirname, '.tests-in-ci-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const results = join(folder, 'results')
  mkdirSync(results)
  const config = join(folder, 'config.mjs')
  writeFileSync(
    config,
    `export default { root: ${JSON.stringify(ROOT)}, test: { include: ['${folder}/*.case.ts'] } }`,
  )
  for (const [name, content] of Object.entries(files)) {
    const seen = JSON.stringify(join(folder, `${name}.seen`))
    const head = `import { existsSync, writeFileSync } from 'node:fs'
      import { afterAll, describe, expect, it } from 'vitest'
      const isFirst = !existsSync(${seen})
      writeFileSync(${seen}, '')\n`
    writeFileSync(join(folder, `${name}.case.ts`), head + content)
  }
  const vitest = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--config', config]
  const { status } = spawnSync(process.execPath, ['tools/tests-in-ci.mjs', 'These', ...vitest], {
    cwd: ROOT,
    env: { ...process.env, RESULTS: results },
  })
  const linesOf = (name: string) => {
    try {
      const text = readFileSync(join(results, name), 'utf8').trim()
      return text.split('\n').map((line) => line.replace(/\S+\/(\w+\.case\.ts)/, '$1'))
    } catch {
      return []
    }
  }
  return { status, counts: linesOf('counts'), failed: linesOf('failed'), failedOnce: linesOf('failed-once') }
}

it('a file that fails once is green, and everything that failed in it is named, its hooks too', () => {
  const result = runInCi({
    flaky: `
      describe('a door', () => {
        it('opens', () => expect(isFirst).toBe(false))
        it('closes', async () => {
          if (isFirst) Promise.reject(new Error('nobody looks'))
          await new Promise(setImmediate)
        })
        afterAll(() => { if (isFirst) throw new Error('a key was left in it') })
      })
      afterAll(() => { if (isFirst) throw new Error('the light is on') })`,
    sound: "it('passes', () => {})",
  })
  expect(result).toEqual({
    status: 0,
    counts: ['3 0'],
    failed: [],
    failedOnce: [
      'failed once: flaky.case.ts › a door > opens',
      'failed once: flaky.case.ts › (outside of tests) the light is on',
      'failed once: flaky.case.ts › (outside of tests) a key was left in it',
      'failed once: flaky.case.ts › (outside of tests) nobody looks',
    ],
  })
})

it('a file that fails twice is red with what failed, a hook alone as well', () => {
  const result = runInCi({
    broken: `
      it('passes', () => {})
      afterAll(() => { throw new Error('the light is on') })`,
  })
  expect(result).toEqual({
    status: 1,
    counts: ['1 1'],
    failed: ['✗ These: broken.case.ts › (outside of tests) the light is on'],
    failedOnce: [],
  })
})
