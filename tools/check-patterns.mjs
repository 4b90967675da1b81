// Checks every regular expression of the sources with recheck: none may take more than linear time, or a client's text
// could stop a process. Part of `pnpm lint`; works offline, in a few seconds.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
// TypeScript 5: 7 has no stable API for syntax trees.
import ts from 'typescript'

const ROOT = resolve(import.meta.dirname, '..')
const SOURCES = ['packages/*/src', 'packages/*/bin', 'packages/*/ui', 'examples/*/src', 'bench/src']

/** Where expressions are built at run time, which the checker cannot see, and why they are linear. */
const BUILT = {
  'examples/demo/src/sessions.ts': 'a constant name, then one class up to the end',
  'packages/core/src/model/api-key-value.ts': 'constants: a prefix and a class of a fixed length, anchored',
  'packages/dev-servers/src/postmaster.ts': 'a constant name, then digits',
  'packages/fastify-integrations/src/answers/unknown-routes.ts': 'segments that end at a slash, anchored',
}

/** The checker in JavaScript. The others are binaries that npm would have to install. */
process.env.RECHECK_SYNC_BACKEND = 'pure'
const { checkSync } = await import('recheck')

/** Limits on work, not on time: the same result on every machine. */
const LIMITS = { timeout: null, attackTimeout: null, incubationTimeout: null }

/** Each expression, and where it is. */
const places = new Map()
const faults = []

for (const file of sourceFiles()) {
  const tree = ts.createSourceFile(
    file,
    readFileSync(resolve(ROOT, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  visit(tree, (node) => {
    const place = `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    if (ts.isRegularExpressionLiteral(node)) note(node.text, place)
    else if (isSchemaPattern(node)) note(`/${node.initializer.text}/u`, place)
    else if (isBuilt(node) && !(file in BUILT)) faults.push(`${place}: built at run time; list it in BUILT`)
  })
}
for (const [literal, where] of places) {
  const end = literal.lastIndexOf('/')
  const { status, complexity } = checkSync(literal.slice(1, end), literal.slice(end + 1), LIMITS)
  if (status !== 'safe') faults.push(`${where.join(', ')}: ${literal} is ${complexity?.summary ?? status}`)
}
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
console.log(`Checked ${places.size} regular expressions: all take linear time.`)

function sourceFiles() {
  const globs = SOURCES.flatMap((folder) => ['ts', 'tsx', 'js'].map((end) => `:(glob)${folder}/**/*.${end}`))
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...globs], {
    cwd: ROOT,
  })
  return list.toString().split('\n').filter(Boolean)
}

function visit(node, see) {
  see(node)
  ts.forEachChild(node, (child) => visit(child, see))
}

function note(literal, place) {
  places.set(literal, [...(places.get(literal) ?? []), place])
}

/** `pattern: '…'` of a JSON schema, which ajv compiles with the flag u. */
function isSchemaPattern(node) {
  return (
    ts.isPropertyAssignment(node) && node.name.getText() === 'pattern' && ts.isStringLiteral(node.initializer)
  )
}

function isBuilt(node) {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'
}
