import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { code, GENERATED, table } from './markdown.mjs'

/**
 * Where the options are declared, in the order of the page: an interface, or a table. `rows`: the table in the same
 * file that has the defaults and ranges of an interface.
 */
const GROUPS = [
  {
    heading: 'createIntegrations',
    intro:
      'In `@quickquote/core`. Every field of `limits`, `delivery`, `start`, `lease`, `retention`, `apiKeys` and `egress` is optional.',
    file: 'packages/core/src/settings.ts',
    type: 'IntegrationsOptions',
    rows: 'OPTIONS',
  },
  { heading: 'pipeline', file: 'packages/core/src/model/quote-pipeline.ts', type: 'QuotePipeline' },
  { heading: 'encryptionKeys', file: 'packages/core/src/lib/keyring.ts', type: 'EncryptionKey' },
  { heading: 'limits', file: 'packages/core/src/model/limits.ts', type: 'LIMIT_OPTIONS' },
  { heading: 'delivery', file: 'packages/core/src/model/delivery.ts', type: 'DELIVERY_OPTIONS' },
  { heading: 'start', file: 'packages/core/src/model/quote-pipeline.ts', type: 'START_OPTIONS' },
  { heading: 'lease', file: 'packages/core/src/model/lease.ts', type: 'LEASE_OPTIONS' },
  { heading: 'retention', file: 'packages/core/src/model/retention.ts', type: 'RETENTION_OPTIONS' },
  { heading: 'apiKeys', file: 'packages/core/src/model/api-key-use.ts', type: 'API_KEY_OPTIONS' },
  { heading: 'egress', file: 'packages/core/src/model/egress.ts', type: 'EgressOptions', rows: 'OPTIONS' },
  { heading: 'quotations', file: 'packages/core/src/storage/host-quotations.ts', type: 'HostQuotations' },
  { heading: 'files', file: 'packages/core/src/storage/files.ts', type: 'FileStorage' },
  {
    heading: 'drizzleStorage',
    intro: 'In `@quickquote/storage-drizzle`.',
    required: 'one of the three is required',
    file: 'packages/storage-drizzle/src/options.ts',
    type: 'StorageOptions',
    rows: 'OPTIONS',
  },
  {
    heading: 'fastifyIntegrations',
    intro:
      'In `@quickquote/fastify-integrations`, besides Fastify’s own `prefix`, `logLevel` and `logSerializers`.',
    file: 'packages/fastify-integrations/src/options.ts',
    type: 'FastifyIntegrationsOptions',
    rows: 'OPTIONS',
  },
  {
    heading: 'apiDocs',
    file: 'packages/fastify-integrations/src/options.ts',
    type: 'ApiDocsOptions',
    rows: 'API_DOCS_OPTIONS',
  },
  {
    heading: 'fastifyPortal',
    intro:
      'In `@quickquote/portal`, besides Fastify’s own: `prefix` (the path of the page), `logLevel` and `logSerializers`.',
    file: 'packages/portal/src/options.ts',
    type: 'FastifyPortalOptions',
  },
  { heading: 'brand', file: 'packages/core/src/lib/theme.ts', type: 'Brand' },
  {
    heading: 'createDeliveryWorker',
    intro: 'In `@quickquote/delivery-worker`.',
    file: 'packages/delivery-worker/src/options.ts',
    type: 'DeliveryWorkerOptions',
    rows: 'OPTIONS',
  },
  {
    heading: 'health',
    file: 'packages/delivery-worker/src/options.ts',
    type: 'HealthAddress',
    rows: 'HEALTH_OPTIONS',
  },
  {
    heading: 'createTestKit',
    intro: 'In `@quickquote/test-kit`.',
    file: 'packages/test-kit/src/kit.ts',
    type: 'TestKitOptions',
  },
  {
    heading: 'createClient',
    intro: 'In `@quickquote/client`. An invalid option throws a `TypeError`.',
    file: 'packages/client/src/client.ts',
    type: 'ClientOptions',
  },
]

/** docs/reference/options.md, from the declarations and their docstrings, and the `--help` of the programs. */
export async function optionsPage(root) {
  const groups = []
  for (const group of GROUPS) groups.push(groupText(group, await optionsOf(root, group)))
  return `${GENERATED}

# Options

All options and their defaults. An invalid or misspelled option throws a \`ConfigurationError\` at startup; \`undefined\` means the
default. Options in milliseconds end in \`Ms\`.

${groups.join('\n\n')}

${helpOf(root, 'delivery-worker', 'quickquote-worker', '[Operations](../guides/operations.md)')}

${helpOf(root, 'storage-drizzle', 'quickquote-storage', '[Database](../guides/database.md)')}
`
}

/** The options of a group, with their rows. */
async function optionsOf(root, { file, type, rows = type }) {
  const module = await import(join(root, file.replace('/src/', '/dist/').replace('.ts', '.js')))
  return membersOf(declared(join(root, file), type)).map((member) => optionOf(member, module[rows]))
}

function groupText({ heading, intro, type, required = 'required' }, options) {
  const ranges = options.some(({ min }) => min !== undefined) ? ['Range'] : []
  const lines = options.map((option) => {
    const hasTable = intro !== undefined && GROUPS.some((group) => group.heading === option.name)
    return [
      hasTable ? `[${code(option.name)}](#${option.name.toLowerCase()})` : code(option.name),
      code(option.type),
      defaultOf(`${type}.${option.name}`, option, { required, none: hasTable ? '' : 'none' }),
      ...ranges.map(() => rangeOf(option)),
      option.doc.replace(DEFAULT_SENTENCE, '').trim(),
    ]
  })
  const title = intro === undefined ? `### ${heading}` : `## ${heading}\n\n${intro}`
  return `${title}\n\n${table(['Option', 'Type', 'Default', ...ranges, ''], lines)}`
}

function declared(file, name) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const statements = source.statements.flatMap((each) => each.declarationList?.declarations ?? each)
  const declaration = statements.find((each) => each.name?.text === name)
  if (declaration === undefined) throw new Error(`${file} declares no ${name}`)
  return declaration
}

/**
 * The members of an interface, of all object types that make up a type, or of a table. Without those of a member's own
 * type.
 */
function membersOf(node) {
  if (ts.isTypeElement(node) || ts.isPropertyAssignment(node)) return [node]
  const found = []
  ts.forEachChild(node, (child) => void found.push(...membersOf(child)))
  return found
}

/** What is declared of an option, and its row in a table. */
function optionOf(member, rows) {
  const name = member.name.text
  const isRow = ts.isPropertyAssignment(member)
  return {
    name,
    type: isRow ? typeof rows[name].default : typeText(member),
    isOptional: isRow || member.questionToken !== undefined,
    doc: docOf(member),
    ...rows?.[name],
  }
}

function typeText(member) {
  const returned = member.type.getText()
  const text = ts.isMethodSignature(member)
    ? `(${member.parameters.map(({ name }) => name.text).join(', ')}) => ${returned}`
    : returned
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\breadonly /g, '')
}

/** The docstring, with what it says of the parameters of a function. */
function docOf({ jsDoc: [{ comment = '', tags = [] }] = [{}] }) {
  const parameters = tags
    .filter(ts.isJSDocParameterTag)
    .map((tag) => `${code(tag.name.text)}: ${tag.comment}.`)
  return [comment, ...parameters].join(' ').replaceAll(/\s+/g, ' ').trim()
}

/** What a number may be. Empty for what is none. */
function rangeOf({ min, max, fraction }) {
  if (min === undefined) return ''
  const numbers = max === undefined ? `${min} or more` : `${min} to ${max.toLocaleString('en')}`
  return fraction ? `${numbers}, or a fraction` : numbers
}

const DEFAULT_SENTENCE = / ?Default:? (.+?)\.(?= [A-Z]|$)/

/** The default in the words of the docstring, which have to mean what the code does. */
function defaultOf(where, { doc, isOptional, default: value }, { required, none }) {
  if (doc === '') throw new Error(`${where} has no docstring`)
  const words = DEFAULT_SENTENCE.exec(doc)?.[1]
  if (['boolean', 'number'].includes(typeof value) && value !== valueIn(words)) {
    throw new Error(`${where} is ${value} by default, and its docstring says: ${words}`)
  }
  return words ?? (isOptional ? none : required)
}

const HOUR_MS = 60 * 60 * 1000
const UNITS = { KiB: 1024, MiB: 1024 ** 2, hour: HOUR_MS, hours: HOUR_MS, days: 24 * HOUR_MS }

/** `true`, `10,000`, `4 MiB`, `12 hours`, `an hour`, `731 (two years)`. */
function valueIn(words) {
  if (words === 'true' || words === 'false') return words === 'true'
  const [, number, unit] = /^(an?|[\d,.]+\d|\d)(?: (\w+))?/.exec(words) ?? []
  return (/^an?$/.test(number) ? 1 : Number(number?.replaceAll(',', ''))) * (UNITS[unit] ?? 1)
}

/** What a program says of itself. */
function helpOf(root, name, program, guide) {
  const file = join(root, 'packages', name, 'bin', `${program}.js`)
  const { stdout, status } = spawnSync(process.execPath, [file, '--help'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} --help failed`)
  const help = `\`\`\`text\n${stdout.trim()}\n\`\`\``
  return `## ${program}\n\n${code(`npx @quickquote/${name}`)}: see ${guide}.\n\n${help}`
}
