// Runs tests for .ci/run: `node tests-in-ci.mjs NAME COMMAND… [-- SELECTION…]`. COMMAND takes arguments of Vitest;
// SELECTION is those of this run. A file that fails is run once more, alone, in a new process; if it passes then, it
// has passed, and is named as `failed once`. Appends to the folder RESULTS: `counts` (passed, failed), `failed` and
// `failed-once` (lines for people).
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** More failed files than this are no accident. */
const MOST_REPEATED = 20

const { RESULTS } = process.env
const [name, ...rest] = process.argv.slice(2)
const end = rest.indexOf('--')
const command = end === -1 ? rest : rest.slice(0, end)
const selection = end === -1 ? [] : rest.slice(end + 1)
let passed = 0
let failed = 0

const first = run(selection)
const broken = first.files.filter((file) => file.failed)
for (const file of first.files) if (!file.failed) passed += file.passedTests
for (const error of first.errors) fail(error)
for (const file of broken) {
  const again = broken.length > MOST_REPEATED ? undefined : repeat(file)
  const final = again?.files.find(({ path }) => path === file.path) ?? file
  passed += final.passedTests
  const isGreen = again !== undefined && again.errors.length === 0 && !final.failed && final.passedTests > 0
  for (const test of isGreen ? namesOf(file) : []) note('failed-once', `failed once: ${file.path} › ${test}`)
  for (const test of isGreen ? [] : namesOf(final.failed ? final : file)) fail(`${file.path} › ${test}`)
  for (const error of again?.errors ?? []) fail(`${file.path}: ${error}`)
}
if (passed + failed === 0) fail('no test ran')
note('counts', `${passed} ${failed}`)
process.exitCode = failed === 0 ? 0 : 1

function repeat(file) {
  console.log(`\n── Once more, alone: ${file.path}`)
  return run([file.path])
}

/** What cannot be explained by failed tests is an error: no results, an unknown exit code, or one without a failed file. */
function run(args) {
  const results = join(RESULTS, 'tests.json')
  rmSync(results, { force: true })
  const reporters = ['--reporter=default', '--reporter=./tools/results-reporter.ts']
  const [program, ...before] = command
  const { status } = spawnSync(program, [...before, ...args, ...reporters], {
    stdio: 'inherit',
    env: { ...process.env, TEST_RESULTS: results },
  })
  const ended = status === null ? 'The tests were killed' : `The tests ended with ${status}`
  if (!existsSync(results)) return { files: [], errors: [`${ended}, without results`] }
  const { files, errors } = JSON.parse(readFileSync(results, 'utf8'))
  const isExplained =
    status === 0 || (status === 1 && (errors.length > 0 || files.some((file) => file.failed)))
  return { files, errors: isExplained ? errors : [...errors, ended] }
}

/** What a file failed with: a hook that failed beside a test is named too, because the repeated run may hide it. */
function namesOf({ failedTests, otherErrors }) {
  const names = [...failedTests, ...otherErrors.map((message) => `(outside of tests) ${message}`)]
  return names.length > 0 ? names : ['(the file itself)']
}

function fail(line) {
  failed += 1
  note('failed', `✗ ${name}: ${line}`)
}

function note(file, line) {
  appendFileSync(join(RESULTS, file), `${line}\n`)
}
